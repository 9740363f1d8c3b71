internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// `judder-node calibrate`: what the sensor shows while it lies still, or with each of the node's six sides up.
///
/// Questions and progress go to standard error; the figures and the lines to paste to standard output.
struct CalibrateCommand {
  /// Where samples come from.
  enum Origin {
    case sensor(AccelerometerSettings, Log)
    case file(String)
  }

  private let origin: Origin
  private let output: StandardOutput
  private let errors = StandardOutput(descriptor: 2)

  init(_ origin: Origin, output: StandardOutput) {
    self.origin = origin
    self.output = output
  }

  // MARK: At rest

  /// - Throws: `findings` when that is no sensor at rest; `unavailable` when there were too few samples.
  func rest(seconds: Double, bandwidthHz: Double?) throws(Termination) {
    var calibration = RestCalibration()
    switch origin {
    case .file(let file): try read(file) { (sample) throws(Termination) in calibration.feed(sample) }
    case .sensor(let settings, let log):
      try say("keep the node still for \(Decimal.text(seconds, decimals: 0)) s")
      try measure(settings, log, seconds: seconds) { sample throws(Termination) in
        // A moment more, because the last block is closed by the sample after it.
        guard calibration.durationS < seconds + 0.1 else { return false }
        calibration.feed(sample)
        return true
      }
    }
    guard let report = calibration.report(bandwidthHz: bandwidthHz) else {
      let had = "\(Decimal.text(calibration.durationS, decimals: 1)) s of samples"
      throw Termination(.unavailable, ["\(had) are too few; at least 5 s at 8 Hz or more are needed"])
    }
    if let objection = report.objection { throw Termination(.findings, [objection]) }
    for line in report.lines + [""] + report.suggestion { try output.line(line) }
    try output.flush()
  }

  // MARK: Six positions

  /// - Parameter seconds: how long each side must lie still.
  /// - Throws: `findings` when the sides do not make a calibration.
  func sixPositions(seconds: Double) throws(Termination) {
    var guide = PositionsGuide(neededS: seconds, isAsking: isAsking)
    let take = { (sample: Sample) throws(Termination) in
      let lines = guide.feed(sample)
      // A bell, because eyes and hands are at the node.
      if !lines.isEmpty, isAsking, errors.isTerminal { try errors.write("\u{7}") }
      for line in lines { try say(line) }
    }
    switch origin {
    case .file(let file): try read(file, take)
    case .sensor(let settings, let log):
      if let question = guide.question { try say(question) }
      try measure(settings, log, seconds: nil) { sample throws(Termination) in
        try take(sample)
        return !guide.isComplete
      }
    }
    let found = try solved(guide.positions.meansG)
    let residual = Decimal.text(1000 * found.residualG, decimals: 1)
    try output.line("# Six positions; \(residual) mg RMS are left over, most with \(found.worst.rawValue) up.")
    for line in found.configuration { try output.line(line) }
    try output.flush()
  }

  private func solved(_ meansG: [Face: Vector]) throws(Termination) -> SixPositionCalibration {
    do throws(SixPositionCalibration.Problem) {
      return try SixPositionCalibration(meansG)
    } catch {
      throw Termination(.findings, ["\(error)"])
    }
  }

  private var isAsking: Bool { if case .sensor = origin { true } else { false } }

  // MARK: Samples

  private func say(_ line: String) throws(Termination) {
    try errors.line(line)
    try errors.flush()
  }

  private func read(_ file: String, _ take: (Sample) throws(Termination) -> Void) throws(Termination) {
    if let warning = try readRecording(file, take) { try say("warning: \(warning)") }
  }

  /// Hands samples on until `take` answers that it has enough, or, where so many seconds were wanted, some time later.
  private func measure(
    _ settings: AccelerometerSettings, _ log: Log, seconds: Double?,
    _ take: @escaping (Sample) throws(Termination) -> Bool
  ) throws(Termination) {
    let session = try SensorSession(settings, log: log)
    var failure: String?
    var hasSamples = false
    try session.run(seconds: seconds.map { $0 + 5 }) { report throws(Termination) in
      switch report {
      case .started, .gap, .idle, .woken, .faults: break
      case .failed(let reason):
        failure = reason
        if !hasSamples { session.stop() }
      case .samples(let samples):
        hasSamples = true
        for sample in samples where try !take(sample) { return session.stop() }
      }
    }
    if session.isInterrupted { throw Termination(.findings, ["stopped before the end; nothing was measured"]) }
    if !hasSamples { throw Termination(.unavailable, [failure ?? "no sample came"]) }
  }
}
