internal import Daemon
internal import NodeLogic
internal import Telemetry

// Sleep: after a quiet time the capture ends and the chip watches for motion by itself; its event starts the capture
// again. Single readings in between tell that it is still there, and which side is up.

/// What is needed to put a sensor to sleep and know when.
struct Sleeper {
  let trigger: WakeTrigger
  var quiet = QuietWatch()
  /// The event came at least once: the chip's interrupt reaches the kernel, which sysfs does not tell.
  var hasFired = false
  /// Sleeps in a row that ended as soon as they began.
  var shortSleeps = 0

  /// A sleep below this says that the event fires at rest [s].
  static let shortS = 2.0
  static let mostShortSleeps = 3
}

extension IIOSource {
  /// Tries the chip's motion event once, so that it is known from the beginning whether the sensor can sleep.
  func prepareSleep(of sensor: IIOSensor) -> (Sleeper?, AccelerometerDescription.Wake) {
    guard settings.wake else { return (nil, .off) }
    do {
      let trigger = try WakeTrigger(sensor, node: node(of: sensor), control: events)
      if let thresholdG = settings.wakeThresholdG, let refusal = trigger.setThreshold(thresholdG) {
        note("wake threshold", .warning, "\(sensor.device.name): \(refusal)")
      }
      trigger.disarm(try trigger.arm())
      return (Sleeper(trigger: trigger), .on(event: trigger.event.name))
    } catch {
      note("wake", .notice, "\(sensor.device.name) does not sleep: \(error)")
      return (nil, .refused(why: "\(error)"))
    }
  }

  /// Watches what was just captured, and puts the sensor to sleep when it has been quiet for long enough.
  func sleepIfQuiet(
    _ capture: any Capture, _ reports: [AccelerometerReport], at now: Instant
  ) -> [AccelerometerReport] {
    guard sleeper != nil else { return [] }
    // One whose measuring has stopped looks quiet too, and asleep nobody would notice.
    guard !capture.check.isFrozen else {
      sleeper?.quiet.reset()
      return []
    }
    for case .samples(let samples) in reports {
      for sample in samples { sleeper?.quiet.feed(sample) }
    }
    guard let sleeper, now >= awakeUntil, sleeper.quiet.quietS >= settings.idleAfterS,
      let sensor = (capture as? any IIOCapture)?.sensor
    else { return [] }
    capture.close()
    check = capture.check
    do {
      let descriptor = try sleeper.trigger.arm()
      state = .sleeping(
        SleepWatch(
          sensor: sensor, trigger: sleeper.trigger, descriptor: descriptor, quiet: sleeper.quiet,
          intervalS: settings.idleReadingS, clock: clock))
      note("sleep", .info, "\(sensor.device.name) sleeps until \(sleeper.trigger.event.name)")
      return [.idle]
    } catch {
      giveUpSleep(of: sensor, because: "\(error)")
      return [.gap] + resume(sensor, at: now)
    }
  }

  /// Takes what a sleeping sensor has to tell.
  func look(at watch: SleepWatch, _ now: Instant) -> [AccelerometerReport] {
    var result = CaptureResult()
    var check = check ?? ScanCheck(watch.sensor.scale)
    let outcome = watch.look(at: now, check: &check, &result)
    self.check = check
    report(&result, of: watch.sensor.device.name)
    switch outcome {
    case .asleep where now < awakeUntil:
      return result.reports + [.woken(at: now)] + wake(watch, at: now)
    case .asleep: return result.reports
    case .woken(let moment):
      sleeper?.hasFired = true
      noteShortSleep(watch, at: now)
      return result.reports + [.woken(at: moment)] + wake(watch, at: now)
    case .movedUnnoticed:
      noteUnnoticed(watch.sensor)
      return result.reports + [.woken(at: now)] + wake(watch, at: now)
    case .gone(let why):
      watch.close()
      return result.reports + fail(why, at: now)
    }
  }

  func wake(_ watch: SleepWatch, at now: Instant) -> [AccelerometerReport] {
    watch.close()
    sleeper?.quiet.reset()
    note("sleep", .info, "\(watch.sensor.device.name) was woken")
    return resume(watch.sensor, at: now)
  }

  private func resume(_ sensor: IIOSensor, at now: Instant) -> [AccelerometerReport] {
    var sensor = sensor
    sensor.refresh()
    do {
      begin(try capture(of: sensor), at: now)
      return []
    } catch {
      return fail("\(error)", at: now)
    }
  }

  /// An event that has never come may never come, for want of an interrupt line, and a node that waits for it is blind.
  private func noteUnnoticed(_ sensor: IIOSensor) {
    guard let sleeper else { return }
    let what = "it was moved and \(sleeper.trigger.event.name) did not tell"
    guard sleeper.hasFired else {
      return giveUpSleep(
        of: sensor, because: "\(what): there is no interrupt line, or accelerometer.wake_threshold_g is too high")
    }
    note("wake", .warning, "\(sensor.device.name): \(what); lower accelerometer.wake_threshold_g")
  }

  /// An event that fires as soon as it is on watches gravity, or noise: a sensor with it must not sleep.
  private func noteShortSleep(_ watch: SleepWatch, at now: Instant) {
    guard watch.age(at: now) < Sleeper.shortS else {
      sleeper?.shortSleeps = 0
      return
    }
    sleeper?.shortSleeps += 1
    guard let sleeper, sleeper.shortSleeps >= Sleeper.mostShortSleeps else { return }
    giveUpSleep(
      of: watch.sensor,
      because: "\(sleeper.trigger.event.name) fires at rest; raise accelerometer.wake_threshold_g")
  }

  private func giveUpSleep(of sensor: IIOSensor, because why: String) {
    sleeper = nil
    wake = .refused(why: why)
    note("wake", .warning, "\(sensor.device.name) does not sleep any more: \(why)")
  }
}
