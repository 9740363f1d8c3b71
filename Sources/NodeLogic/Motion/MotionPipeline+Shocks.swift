internal import Telemetry

// Impacts and falls.
extension MotionPipeline {
  /// Looks for falls and impacts in the sample after the shake detector saw it.
  mutating func feedShocks(_ sample: Sample, _ outputs: inout [MotionOutput]) {
    if settings.freeFall.isEnabled, let event = falls.feed(sample) { outputs.append(.freeFall(event)) }
    guard settings.impact.isEnabled else { return }
    let heldBack = impacts.heldBack
    if let event = impacts.feed(sample, isShaking: isShakenByHand(at: sample.at)) { tell(event, &outputs) }
    warnOfHeldBack(since: heldBack, &outputs)
  }

  /// A hand shakes, or still swings after a shake that was told: one that was too long goes on.
  ///
  /// Only of something handheld. What is bolted down and shakes after a blow was not swung by anybody.
  private mutating func isShakenByHand(at now: Instant) -> Bool {
    guard settings.preset == .handheld else { return false }
    if shake.isActive || (now < shakenUntil && isSwinging) { shakenUntil = now + settings.shake.rearmS }
    return now < shakenUntil
  }

  private var isSwinging: Bool { shake.activityG > settings.shake.levelRatio * shake.levelG }

  /// Samples are missing here: a fall is forgotten, and an impact told whose pulses are over.
  mutating func interruptShocks(at now: Instant, _ outputs: inout [MotionOutput]) {
    falls.interrupt()
    let heldBack = impacts.heldBack
    if let event = impacts.interrupt(at: now) { tell(event, &outputs) }
    warnOfHeldBack(since: heldBack, &outputs)
  }

  /// Warns when the sensor cannot show what counts as an impact.
  ///
  /// Two axes at the end of the range, and gravity taken off, may be more than the range; what is certain to be missed
  /// is a blow along one axis, which is how things land.
  mutating func judgeRange(_ outputs: inout [MotionOutput]) {
    guard settings.impact.isEnabled, let fullScaleG = description?.fullScaleG else { return }
    let thresholdG = settings.impact.thresholdG
    if fullScaleG < thresholdG {
      outputs.append(.warning(.narrowRange(fullScaleG: fullScaleG, thresholdG: thresholdG)))
    }
  }

  private func tell(_ event: ImpactEvent, _ outputs: inout [MotionOutput]) {
    var event = event
    event.fallS = falls.fallS(before: event.start)
    outputs.append(.impact(event))
  }

  private func warnOfHeldBack(since before: Int, _ outputs: inout [MotionOutput]) {
    guard impacts.heldBack > before, impacts.heldBack.isDoubling else { return }
    outputs.append(.warning(.impactsHeldBack(impacts.heldBack, perMinute: settings.impact.perMinute)))
  }
}
