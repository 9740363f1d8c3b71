internal import Telemetry

/// A calibration at rest that somebody asked for, beside what the node does anyway.
///
/// It takes the running samples, with mount matrix and correction as they are, and changes nothing.
struct RestMeasurement: Sendable {
  /// So much longer than the samples themselves may it take [s]: a sensor that sleeps is woken first.
  private static let patienceS = 10.0
  /// The last block of a second is closed by the sample after it [s].
  private static let marginS = 0.1

  /// Who is answered.
  let command: CommandMessage
  /// It has failed when the samples are not complete by then.
  let deadline: Instant
  private let neededS: Double
  private var calibration = RestCalibration()

  init(_ command: CommandMessage, at now: Instant) {
    self.command = command
    neededS = command.forS ?? Self.usualS
    deadline = now + neededS + Self.patienceS
  }

  /// How long it lasts where nothing is said [s].
  static let usualS = 30.0

  /// Answers whether it is complete.
  mutating func feed(_ samples: [Sample]) -> Bool {
    for sample in samples where !isComplete { calibration.feed(sample) }
    return isComplete
  }

  /// Begins anew, because the sensor woke: single readings of its sleep tell nothing.
  mutating func restart() { calibration = RestCalibration() }

  private var isComplete: Bool { calibration.durationS >= neededS + Self.marginS }

  /// Some samples have come.
  var hasBegun: Bool { calibration.durationS > 0 }

  /// What became of it; as a reason where it is nothing.
  ///
  /// - Parameters:
  ///   - onG: the threshold of shakes in force [g], for what follows.
  ///   - isScaleKnown: the sensor says where its scale ends.
  func answer(onG: Double, isScaleKnown: Bool) -> ReplyMessage {
    guard isComplete, let report = calibration.report() else {
      let had = "\(tenths(calibration.durationS)) s of samples"
      return refusal("\(had) came; at least \(tenths(neededS)) s at 8 Hz or more are needed")
    }
    if let objection = report.objection { return refusal(objection) }
    var answer = ReplyMessage(id: command.id, .calibrate, isDone: true)
    answer.rest = report.figures
    if isScaleKnown { answer.rest?.clipped = report.clipped }
    answer.note = report.advice(onG)
    return answer
  }

  func refusal(_ reason: String) -> ReplyMessage {
    ReplyMessage(id: command.id, .calibrate, isDone: false, reason: reason)
  }
}

extension RestReport {
  /// As a reply carries them.
  var figures: RestFigures {
    var figures = RestFigures(
      durationS: durationS, samples: samples, rateHz: rateHz, meanG: meanG, noiseMg: noiseG * 1000,
      inBandMg: 1000 * inBandG)
    figures.missed = missed
    if face != .unknown {
      figures.face = face
      figures.tiltDeg = tiltDeg
    }
    return figures
  }

  /// What follows for the threshold of shakes, in one sentence.
  ///
  /// - Parameter onG: the one in force [g].
  func advice(_ onG: Double) -> String {
    let least = "four times the noise in band, \(Self.shortest(quietestOnG)) g"
    let now = "shake.on_g is \(Self.shortest(onG)) g"
    return onG < quietestOnG
      ? "\(now), below \(least): set shake.on_g=\(Self.shortest(quietestOnG))" : "\(now), and not below \(least)"
  }
}

// What a node does when it is asked to lie still.
extension Node {
  /// Nil: it is begun.
  mutating func beginRest(
    _ command: CommandMessage, at now: Instant, _ effects: inout [NodeEffect]
  ) -> ReplyMessage? {
    if let running = restMeasurement {
      return refusal(
        of: command, "a calibration is already running, for \(tenths(max(0, running.deadline - now))) s at the most")
    }
    if let why = motion?.silence(at: now) {
      return refusal(of: command, "the sensor gives no samples: \(SafeText.escaped(why, limit: 200))")
    }
    let measurement = RestMeasurement(command, at: now)
    restMeasurement = measurement
    effects.append(.keepAwake(until: awakeUntil ?? measurement.deadline))
    return nil
  }

  /// Takes the samples that the sensor gives anyway.
  mutating func measureRest(_ report: AccelerometerReport, at now: Instant, _ effects: inout [NodeEffect]) {
    guard restMeasurement != nil else { return }
    switch report {
    case .samples(let samples):
      if motion?.state == .idle { return }
      if restMeasurement?.feed(samples) == true { endRest(at: now, &effects) }
    case .woken: restMeasurement?.restart()
    case .started, .idle:
      if restMeasurement?.hasBegun == true {
        giveUpRest("the sensor was started anew or fell asleep", at: now, &effects)
      }
    case .failed(let reason):
      giveUpRest("the sensor failed: \(SafeText.escaped(reason, limit: 200))", at: now, &effects)
    case .gap, .faults: break
    }
  }

  /// Ends it where no samples come any more, or too few did.
  mutating func reviewRest(at now: Instant, _ effects: inout [NodeEffect]) {
    guard let measurement = restMeasurement else { return }
    if let why = motion?.silence(at: now) {
      giveUpRest("the sensor gives no samples: \(SafeText.escaped(why, limit: 200))", at: now, &effects)
    } else if now >= measurement.deadline {
      endRest(at: now, &effects)
    }
  }

  /// Answers that nothing comes of it.
  mutating func giveUpRest(_ reason: String, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let measurement = restMeasurement else { return }
    end(measurement.refusal(reason), at: now, &effects)
  }

  private mutating func endRest(at now: Instant, _ effects: inout [NodeEffect]) {
    guard let measurement = restMeasurement, let motion else { return }
    let isScaleKnown = motion.description?.fullScaleG != nil
    let answer = measurement.answer(onG: motion.settings.shake.onG, isScaleKnown: isScaleKnown)
    end(answer, at: now, &effects)
  }

  private mutating func end(_ answer: ReplyMessage, at now: Instant, _ effects: inout [NodeEffect]) {
    restMeasurement = nil
    // A sensor that slept may sleep again.
    effects.append(.keepAwake(until: awakeUntil ?? now))
    settle(answer, at: now, &effects)
  }
}
