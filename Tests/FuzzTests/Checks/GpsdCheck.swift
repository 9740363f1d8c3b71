import NodeLogic
import Telemetry

/// gpsd's bytes give the same lines however they are cut, and whatever is said of the position is a message that can be
/// read. A line of digits alone lets so many tenths of a second pass.
func checkGpsd(_ bytes: [UInt8]) throws(Violation) {
  let pieces = try lines(of: bytes)
  var tracker = LocationTracker(LocationTracker.Settings(distanceFilterM: 5, intervalS: 30, lostAfterS: 10))
  var now = Instant.start
  for piece in pieces {
    now = now + 0.1
    let input: GpsdInput
    switch piece {
    case .tooLong: input = .unreadable(.tooLong)
    case .line(let line):
      try require(!line.isEmpty && line.count <= GpsdLineReader.longestLineBytes, "a line of \(line.count) bytes")
      if let tenths = Int(String(decoding: line.prefix(6), as: UTF8.self)), tenths > 0 {
        now = now + Double(tenths) / 10
        try check(tracker.tick(at: now))
        continue
      }
      switch GpsdReport.decode(line) {
      case .success(.error(let text)):
        if !text.isEmpty { try requirePrintable(text) }
        input = .report(.error(text))
      case .success(let report): input = .report(report)
      case .failure(let problem): input = .unreadable(problem)
      }
    }
    try check(tracker.handle(input, at: now))
  }
  try check(tracker.tick(at: now + 1))
  try check(tracker.tick(at: now + 100))
}

private func lines(of bytes: [UInt8]) throws(Violation) -> [GpsdLineReader.Piece] {
  var whole = GpsdLineReader()
  let pieces = whole.append(bytes)
  var cut = GpsdLineReader()
  var others: [GpsdLineReader.Piece] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let length = 1 + Int(rest[rest.startIndex]) % 16
    others += cut.append(rest.prefix(length))
    rest = rest.dropFirst(length)
  }
  try require(pieces == others, "other lines when cut another way")
  return pieces
}

private func check(_ outputs: [LocationOutput]) throws(Violation) {
  let clock = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .ntp)
  for output in outputs {
    guard let message = output.message(clock: clock) else {
      if case .decided(let decision) = output.content { try requirePrintable(decision.text) }
      continue
    }
    let envelope = Envelope(
      boot: BootID(1), sequence: 1, time: clock.wall(at: output.at), clock: .ntp, uptime: output.at.seconds)
    let payload = Telegram(envelope, .location(message)).encode()
    try requireLine(payload, from: 64)
    do throws(DecodingProblem) {
      _ = try Telegram.decode(stream: .location, payload: payload)
    } catch {
      throw Violation(text: "\(error): \(String(decoding: payload, as: UTF8.self))")
    }
  }
}
