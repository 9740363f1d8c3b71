internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// `judder-node record`: samples as the CSV that `replay`, `calibrate` and a node with `source = "recording"` read.
///
/// `t` is the calendar's time in seconds since 1970, so that a replay's messages carry the time of the recording; it
/// comes from the monotonic clock and what the calendar was worth at the start, and so never jumps. Samples that are
/// missing are a hole in `t` and nothing else, because other readers of CSV stumble over comments.
final class RecordCommand {
  /// How long a sensor may take to give its first sample [s].
  private static let patienceS = 5.0
  /// Between two looks at the progress, and between two lines of it where nobody looks on [s].
  private static let flushS = 1.0
  private static let progressS = 10.0

  private let name: String
  private let seconds: Double?
  private let open: () throws(Termination) -> RecordingFile
  /// Made for the first sample: a sensor that gives none neither leaves an empty file nor costs the one that is there.
  private var file: RecordingFile?
  private let errors = StandardOutput(descriptor: 2)
  private let session: SensorSession
  private let clock: ClockState
  private var tally = RecordingTally()
  private var start: Instant?
  private var failure: String?
  private var nextLine: Instant

  init(
    _ settings: AccelerometerSettings, file name: String, seconds: Double?, isForced: Bool, log: Log,
    output: StandardOutput
  ) throws(Termination) {
    self.seconds = seconds
    self.name = name == "-" ? "standard output" : name
    session = try SensorSession(settings, log: log)
    clock = ClockProbe(clock: session.clock).read()
    nextLine = session.clock.now() + RecordCommand.progressS
    try RecordingFile.check(name, isForced: isForced)
    open = { () throws(Termination) in
      try name == "-" ? RecordingFile(output) : RecordingFile(path: name, isForced: isForced)
    }
  }

  /// - Throws: `unavailable` when no sample came; what went wrong with the file.
  func run() throws(Termination) {
    session.every(RecordCommand.flushS) { [unowned self] now throws(Termination) in try progress(at: now) }
    try session.run(seconds: seconds.map { $0 + RecordCommand.patienceS }) {
      [unowned self] report throws(Termination) in
      try take(report)
    }
    try file?.close()
    if errors.isTerminal { try errors.write("\r\u{1B}[K") }
    guard tally.samples > 0 else { throw Termination(.unavailable, [failure ?? "no sample came"]) }
    let length = tally.meanLengthG.map { ", mean |a| \(Decimal.text($0, decimals: 3)) g" } ?? ""
    try errors.line("\(name): \(tally.text), \(tally.clipped) clipped\(length)")
    try errors.flush()
  }

  private func take(_ report: AccelerometerReport) throws(Termination) {
    switch report {
    case .started: break
    case .samples(let samples): for sample in samples { try write(sample) }
    case .gap, .idle, .woken, .faults: break
    case .failed(let reason):
      failure = reason
      // Who started too early is better told than kept waiting.
      if tally.samples == 0 { session.stop() }
    }
  }

  private func write(_ sample: Sample) throws(Termination) {
    guard sample.isUsable else { return }
    let start = self.start ?? sample.at
    self.start = start
    if let seconds, sample.at - start >= seconds - 1e-9 { return session.stop() }
    tally.count(sample)
    if file == nil {
      file = try open()
      try file?.line("t,x,y,z")
    }
    try file?.line(RecordCommand.row(sample, clock))
  }

  /// Microseconds and micro-g: finer than any sensor's own.
  static func row(_ sample: Sample, _ clock: ClockState) -> String {
    [clock.wall(at: sample.at).seconds, sample.g.x, sample.g.y, sample.g.z]
      .map { Decimal.text($0, decimals: 6) }.joined(separator: ",")
  }

  /// Nothing waits longer than a second to be in the file.
  private func progress(at now: Instant) throws(Termination) {
    try file?.flush()
    if errors.isTerminal {
      try errors.write("\r\(TextWidth.cut(tally.text, to: 70))\u{1B}[K")
      try errors.flush()
    } else if now >= nextLine {
      nextLine = now + RecordCommand.progressS
      try errors.line(tally.text)
      try errors.flush()
    }
  }
}
