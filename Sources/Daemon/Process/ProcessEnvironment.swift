internal import CLinux

/// The environment variables of this process: environ(7). Bytes that are no UTF-8 become U+FFFD.
public func processEnvironment() -> [String: String] {
  var variables: [String: String] = [:]
  guard var next = judder_environment() else { return variables }
  while let entry = next.pointee {
    next += 1
    let text = String(cString: entry)
    guard let equals = text.firstIndex(of: "=") else { continue }
    // The first of two entries with one name counts, as for getenv(3).
    let name = String(text[..<equals])
    if variables[name] == nil { variables[name] = String(text[text.index(after: equals)...]) }
  }
  return variables
}
