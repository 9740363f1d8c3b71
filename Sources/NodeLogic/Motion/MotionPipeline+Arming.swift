public import Telemetry

// Whether what is measured is published.
extension MotionPipeline {
  /// From now on nothing that is measured is published: no shake, waveform, impact, fall, orientation, window or live
  /// sample. A lease of live samples runs on.
  ///
  /// What was measured until now still is: an active shake is cancelled as stopped, an impact whose pulses are over is
  /// told, the open window is closed. The sensor is watched as before: its health goes on, and so do warnings about it.
  public mutating func disarm(at now: Instant) -> [MotionOutput] {
    guard isArmed else { return [] }
    isArmed = false
    var outputs: [MotionOutput] = []
    if let event = shake.stop(at: now) { tell(event, &outputs) }
    interruptShocks(at: now, &outputs)
    closeWindow(.stopped, &outputs)
    return outputs
  }

  /// Publishes again. The filters start cleanly: what happened meanwhile is not told, except that a side that came up
  /// is told once it is seen.
  public mutating func arm(at now: Instant) -> [MotionOutput] {
    guard !isArmed else { return [] }
    isArmed = true
    _ = shake.interrupt(at: now)
    windows.interrupt()
    gravity.reset()
    orientation.interrupt()
    startRecorder()
    return []
  }
}
