internal import Daemon
internal import NodeLogic
internal import Telemetry

/// What a replay says on standard error when it is over: what looked wrong with the file, and a line of counts.
struct ReplaySummary {
  /// Of the file's samples.
  var samples = RecordingTally()
  /// One line on a last line that was left out.
  var torn: String?
  private var counts: [Telemetry.Stream: Int] = [:]

  /// Counts a message; of a shake its beginning only.
  mutating func count(_ telegram: Telegram) {
    if case .shake(let shake) = telegram.body, shake.phase != .began { return }
    counts[telegram.body.stream, default: 0] += 1
  }

  /// `shaken.csv: 400 samples in 7.98 s, 50.0 Hz, 0 missed; 1 shake, 0 impacts, 0 falls, 1 window`
  func line(_ file: String) -> String {
    let nouns = [
      (Telemetry.Stream.shake, "shake"), (.impact, "impact"), (.freeFall, "fall"), (.acceleration, "window"),
    ]
    let parts = nouns.map { stream, noun in
      let count = counts[stream] ?? 0
      return "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    return "\(file): \(samples.text); \(parts.joined(separator: ", "))"
  }

  func write(_ file: String) throws(Termination) {
    let errors = StandardOutput(descriptor: 2)
    if let torn { try errors.line(printableLine("judder-node: warning: \(torn)")) }
    for doubt in samples.doubts { try errors.line(printableLine("judder-node: warning: \(file): \(doubt)")) }
    try errors.line(printableLine("judder-node: \(line(file))"))
    try errors.flush()
  }
}
