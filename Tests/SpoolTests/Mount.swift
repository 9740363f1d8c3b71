import Foundation
import Rig

/// A file system of its own for a test; needs root, and loop devices where it is an image.
final class Mount {
  let point: String

  /// Whether this process may mount a tmpfs at all.
  static let mayMount: Bool = tries { try Mount(tmpfsBytes: 65_536, in: $0) }
  /// Whether there are loop devices and mkfs.ext4.
  static let mayLoop: Bool =
    ChildProcess.find("mkfs.ext4") != nil
    && tries { workplace in
      try Mount.makeImage(workplace.path("image"), megabytes: 4, in: workplace)
      return try Mount(image: workplace.path("image"), in: workplace)
    }

  private static func tries(_ body: (Workplace) throws -> Mount) -> Bool {
    guard getuid() == 0, let workplace = try? Workplace("spool-mount") else { return false }
    return (try? body(workplace)) != nil
  }

  convenience init(tmpfsBytes: Int, in workplace: Workplace) throws {
    try self.init(["-t", "tmpfs", "-o", "size=\(tmpfsBytes)", "tmpfs"], in: workplace)
  }

  convenience init(image: String, in workplace: Workplace) throws {
    try self.init(["-o", "loop", image], in: workplace)
  }

  private init(_ arguments: [String], in workplace: Workplace) throws {
    point = workplace.path("mount-\(UUID().uuidString.prefix(6))")
    try FileManager.default.createDirectory(atPath: point, withIntermediateDirectories: true)
    try Mount.run("mount", arguments + [point], in: workplace.folder)
  }

  deinit {
    // MNT_DETACH: whatever is still open in it must not keep the test's folder.
    umount2(point, 2)
    rmdir(point)
  }

  static func makeImage(_ path: String, megabytes: Int, in workplace: Workplace) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    truncate(path, off_t(megabytes << 20))
    try run("mkfs.ext4", ["-q", "-F", "-b", "1024", "-E", "lazy_itable_init=0", path], in: workplace.folder)
  }

  func remount(_ option: String, in workplace: Workplace) throws {
    try Mount.run("mount", ["-o", "remount,\(option)", point], in: workplace.folder)
  }

  static func run(_ program: String, _ arguments: [String], in folder: URL) throws {
    let child = try ChildProcess(program, arguments, name: "\(program)-\(UUID().uuidString.prefix(6))", in: folder)
    guard child.wait(seconds: 30) == 0 else {
      throw RigError("\(program) \(arguments.joined(separator: " ")): \(child.errorText())")
    }
  }
}
