internal import Glibc
internal import Telemetry

/// Which nodes of a crowd a step of a script means: `1-20,45`, as the names are numbered, or a pattern of names.
enum NodeSelection {
  struct Problem: Error {
    /// What is wrong: `must be ...`.
    var text: String
  }

  /// Nodes counted from 0, ascending.
  static func indices(_ text: String, among names: [NodeName]) throws(Problem) -> [Int] {
    let isOfNumbers = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isNumber || "-, ".contains($0)) }
    let found = isOfNumbers ? try numbers(text, most: names.count) : matches(text, names)
    guard !found.isEmpty else {
      let all = names.isEmpty ? "there are none" : "there are \(names[0]) to \(names[names.count - 1])"
      throw Problem(text: "selects no node: \(all)")
    }
    return found
  }

  private static func matches(_ pattern: String, _ names: [NodeName]) -> [Int] {
    names.indices.filter { fnmatch(pattern, names[$0].description, 0) == 0 }
  }

  private static func numbers(_ text: String, most: Int) throws(Problem) -> [Int] {
    var chosen: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let bounds = part.split(separator: "-", omittingEmptySubsequences: false).map {
        Int(String($0.filter { $0 != " " }))
      }
      guard (1...2).contains(bounds.count), let first = bounds.first ?? nil, let last = bounds.last ?? nil,
        first <= last
      else { throw Problem(text: "must be numbers such as 1-20,45, or a pattern of names") }
      guard first >= 1, last <= most else { throw Problem(text: "must be within 1 to \(most), the nodes there are") }
      chosen.formUnion(first - 1...last - 1)
    }
    return chosen.sorted()
  }
}
