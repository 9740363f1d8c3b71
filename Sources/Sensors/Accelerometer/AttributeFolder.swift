internal import Glibc

/// A folder of attributes: one small text file each, as sysfs has them, or a plain folder that stands in for it.
struct AttributeFolder: Equatable, Sendable {
  let path: String

  func path(of name: String) -> String { "\(path)/\(name)" }

  func folder(_ name: String) -> AttributeFolder { AttributeFolder(path: path(of: name)) }

  func has(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }

  func canWrite(_ name: String) -> Bool { access(path(of: name), W_OK) == 0 }

  /// An attribute's text without the white space at its ends.
  func read(_ name: String) throws(SystemFailure) -> String {
    let file = path(of: name)
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(operation: "open", path: file, code: errno) }
    defer { close(descriptor) }
    // sysfs never gives more than one page.
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemFailure(operation: "read", path: file, code: errno) }
    return String(decoding: bytes[..<count].trimmed, as: UTF8.self)
  }

  /// As `read`; nil where there is no such attribute.
  func readIfPresent(_ name: String) throws(SystemFailure) -> String? {
    do {
      return try read(name)
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
  }

  /// Sets an attribute. O_TRUNC means nothing to sysfs, and keeps a plain file from retaining its old end.
  func write(_ value: String, to name: String) throws(SystemFailure) {
    let file = path(of: name)
    let descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(operation: "write \(value) to", path: file, code: errno) }
    defer { close(descriptor) }
    let bytes = Array((value + "\n").utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) >= 0 else {
      throw SystemFailure(operation: "write \(value) to", path: file, code: errno)
    }
  }

  /// The names in the folder, sorted; none when it cannot be listed.
  func names() -> [String] { (try? list()) ?? [] }

  /// The names in the folder, sorted.
  func list() throws(SystemFailure) -> [String] {
    guard let folder = opendir(path) else { throw SystemFailure(operation: "list", path: path, code: errno) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The path without symbolic links, which sysfs is made of: realpath(3).
  var resolvedPath: String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension ArraySlice<UInt8> {
  /// Without white space (and the NULs that some drivers add) at either end.
  fileprivate var trimmed: ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    let head = drop(while: isBlank)
    return head.reversed().first { !isBlank($0) } == nil
      ? [] : head[...(head.lastIndex { !isBlank($0) } ?? head.startIndex)]
  }
}
