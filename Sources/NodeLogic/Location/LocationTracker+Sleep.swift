public import Telemetry

/// What a suspended machine does to the location. Instants stand meanwhile, so that what is remembered by the time of
/// receipt is moved back: ages, gaps, intervals and the reach of the gate are those of the real time.
extension LocationTracker {
  /// Ends what was under way before the machine was suspended: an epoch that was still coming in is decided on as it
  /// was.
  ///
  /// - Parameter last: the last moment before it; what is answered is of then.
  public mutating func fallAsleep(at last: Instant) -> [LocationOutput] { settle(at: max(last, latest), force: true) }

  /// Makes what is remembered older. Silence counts from now on: the receiver gets its time before a loss is told, but
  /// for one that is known already. It gets it once: on a machine that is awake for a few seconds at a time, what it is
  /// awake without a good fix adds up. The node may have been carried, which the next fixes tell.
  ///
  /// - Parameter seconds: how long the machine was suspended, > 0.
  public mutating func wake(after seconds: Double, at now: Instant) {
    latest = max(latest, now)
    let hasHeard = wokenAt.map { woken in lastGood.map { $0.receivedAt >= woken } ?? false } ?? true
    if hasHeard { patientFrom = latest }
    wokenAt = latest
    startedAt = startedAt - seconds
    decided?.age(by: seconds)
    lastGood?.age(by: seconds)
    published?.fix.age(by: seconds)
    published.map { published?.at = $0.at - seconds }
    pending = nil
    candidate = nil
    sky = nil
    evidence.wake(at: latest)
    devices.age(by: seconds)
    gate.forget()
    judge.age(by: seconds)
    fences.age(by: seconds)
    feel(stillness, at: latest)
  }

  /// From when on silence counts: the last good fix or the start, but the first waking where that came later.
  var quietFrom: Instant { max(lastGood?.receivedAt ?? startedAt, patientFrom ?? startedAt) }

  func isFromBeforeWaking(_ fix: Fix) -> Bool { wokenAt.map { fix.receivedAt < $0 } ?? false }

  /// Nobody felt anything while the machine slept, so that it is still since it woke at the most.
  func sinceWaking(_ stillness: Stillness) -> Stillness {
    guard let wokenAt, case .still(let since) = stillness else { return stillness }
    return .still(since: max(since, wokenAt))
  }
}

extension Fix {
  /// Moves the receipt back, by what the monotonic clock did not count [s].
  mutating func age(by seconds: Double) { receivedAt = receivedAt - seconds }
}
