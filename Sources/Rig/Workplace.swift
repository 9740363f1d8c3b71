public import Foundation

/// A private folder that goes away with the value, and free loopback ports.
public final class Workplace: Sendable {
  /// Where everything of one test lies.
  public let folder: URL

  /// - Throws: when there is no room for a folder in the temporary folder.
  public init(_ name: String = "judder") throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The path of a file in the folder.
  public func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Writes a file into the folder and answers its path.
  @discardableResult
  public func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }

  /// The ports that this process was given: a server that a test stops for a while keeps its own.
  private static let given = GivenPorts()

  /// A TCP port of 127.0.0.1 that nobody listens on, below the range from which the kernel hands out its own; each at
  /// most once in a process, and in six processes that run beside each other.
  public static func freePort() throws -> Int {
    for _ in 0..<200 {
      let port = Int.random(in: given.range)
      guard given.claim(port) else { continue }
      let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(probe) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if bound == 0 { return port }
    }
    throw RigError("no free port in \(given.range) on 127.0.0.1")
  }
}

/// `@unchecked Sendable`: the set is behind `lock`.
private final class GivenPorts: @unchecked Sendable {
  /// Which ports are this process's to give.
  let range: Range<Int>
  private let lock = NSLock()
  private var ports: Set<Int> = []

  /// Takes the first sixth that no other process has, for as long as this one lives; when all are taken, what all have.
  init() {
    let all = 20_000..<32_000
    let sixth = all.count / 6
    let mine = (0..<6).first { Self.isNamed("judder-ports-\($0)") }
    range = mine.map { all.lowerBound + $0 * sixth..<all.lowerBound + ($0 + 1) * sixth } ?? all
  }

  /// False for a port that was given before.
  func claim(_ port: Int) -> Bool { lock.withLock { ports.insert(port).inserted } }

  /// Whether this process could give itself the name: an abstract socket, which goes away with it (unix(7)).
  private static func isNamed(_ name: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0[1...].copyBytes(from: name.utf8) }
    let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) == 0 }
    }
    if !isBound { close(descriptor) }
    return isBound
  }
}
