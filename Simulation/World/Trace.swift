/// What happened, line by line: the last lines always, all of them when a run is replayed to be read.
struct Trace {
  /// Lines kept when not all are.
  private static let most = 120

  /// Nil: lines are kept, not printed.
  var output: ((String) -> Void)?
  private var ring: [String] = []
  private var start = 0

  /// The last lines, oldest first.
  var lines: [String] { Array(ring[start...] + ring[..<start]) }

  mutating func note(_ line: String) {
    if let output { return output(line) }
    if ring.count < Self.most {
      ring.append(line)
    } else {
      ring[start] = line
      start = (start + 1) % Self.most
    }
  }
}
