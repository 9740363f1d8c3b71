import Foundation

/// One text file of the project, under its path from the package's root.
struct TextFile {
  let path: String
  let lines: [String]

  init(_ path: String, _ text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var text: String { lines.joined(separator: "\n") }
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// `Telemetry` for `Sources/Telemetry/Messages/ShakeMessage.swift`; nil outside `Sources`.
  var target: String? {
    let parts = path.split(separator: "/")
    return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
  }
}

/// The files of the project as they lie in the working tree, without what git ignores.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Paths from the root, sorted.
  static let paths: [String] = {
    var found: [String] = []
    let entries = FileManager.default.enumerator(atPath: root.path)
    while let path = entries?.nextObject() as? String {
      if [".build", ".git", ".swiftpm"].contains(path) {
        entries?.skipDescendants()
      } else if entries?.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        found.append(path)
      }
    }
    return found.sorted()
  }()

  /// Every file that is text: all of them but what holds a NUL byte.
  static let texts: [TextFile] = paths.compactMap { path in
    guard let data = try? Data(contentsOf: root.appendingPathComponent(path)), !data.contains(0) else { return nil }
    return TextFile(path, String(decoding: data, as: UTF8.self))
  }

  static var swift: [SwiftFile] { swiftFiles }
  static var swiftSources: [SwiftFile] { swiftFiles.filter { $0.file.target != nil } }
  static var manifest: TextFile? { texts.first { $0.path == "Package.swift" } }

  private static let swiftFiles = texts.filter { $0.path.hasSuffix(".swift") }.map(SwiftFile.init)
}

/// What breaks a rule, and where.
struct Complaint: Equatable, CustomStringConvertible {
  let path: String
  let line: Int
  let what: String

  var description: String { "\(path):\(line): \(what)" }
}

extension [Complaint] {
  /// One a line: what a failing expectation shows.
  var report: String { map(\.description).joined(separator: "\n") }
}
