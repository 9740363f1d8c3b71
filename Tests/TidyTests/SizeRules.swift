/// How long things may be.
enum SizeRules {
  static let fileLines = 400
  static let functionLines = 60
  static let medianFunctionLines = 12
  static let columns = 120
  static let fileBytes = 200_000

  static func fileComplaint(of file: TextFile) -> Complaint? {
    let count = file.lines.last == "" ? file.lines.count - 1 : file.lines.count
    guard count > fileLines else { return nil }
    return Complaint(path: file.path, line: count, what: "\(count) lines; at most \(fileLines)")
  }

  static func lineComplaints(of file: TextFile) -> [Complaint] {
    file.lines.enumerated().filter { $0.element.count > columns }.map {
      Complaint(path: file.path, line: $0.offset + 1, what: "\($0.element.count) columns; at most \(columns)")
    }
  }

  static func functionComplaints(of file: SwiftFile) -> [Complaint] {
    file.functions.filter { $0.length > functionLines }.map {
      file.complaint($0.start, "\($0.name) has \($0.length) lines; at most \(functionLines)")
    }
  }

  /// The median length of all functions; 0 when there is none.
  static func medianFunctionLength(of files: [SwiftFile]) -> Int {
    let lengths = files.flatMap(\.functions).filter(\.isFunction).map(\.length).sorted()
    return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
  }
}
