internal import Telemetry

/// What the numbers and the monotonic times of a run say about each other.
extension BootLog {
  /// Numbers may be given, and events be sent, in another order than they were measured, within this [s].
  static let disorderS = 60.0

  /// How much older an event is than the newest that was heard of its run [s]: its age at least, whatever the clocks
  /// say; the machine may have slept besides. Nil when the run is not remembered, or nothing was heard live.
  func age(of envelope: Envelope) -> Double? {
    guard let uptime = envelope.uptime, let newest = run(of: envelope.boot)?.newestUptime else { return nil }
    return max(0, newest - uptime)
  }

  /// Whether an event that came has a lower number than one that was measured well before it: numbers of one run only
  /// rise, so that something else counts from the start again under its name.
  mutating func goesBackwards(_ envelope: Envelope) -> Bool {
    guard let sequence = envelope.sequence, let uptime = envelope.uptime else { return false }
    return update(envelope.boot) { run in
      guard let top = run.top, sequence <= top.sequence else {
        // It may tell of something that was measured long before it got its number, so that lower ones are younger: its
        // number is as young as all that was heard until then.
        let youngest = [uptime, run.top?.uptime, run.newestUptime].compactMap { $0 }.max()
        run.top = Run.Top(sequence: sequence, uptime: youngest ?? uptime)
        return false
      }
      return sequence < top.sequence && uptime > top.uptime + Self.disorderS
    } ?? false
  }

  /// Numbers of a run that are not going to come. Answers how many of them nobody had told before; nil when the run is
  /// not remembered.
  mutating func explain(_ boot: BootID, _ runs: [ClosedRange<UInt64>]) -> Int? {
    update(boot) { run in
      runs.reduce(0) { sum, range in
        run.settled.insert(range)
        return sum.addingClamped(run.evicted.insert(range))
      }
    }
  }

  /// Whatever is missing of a run between these bounds is not going to come. Answers false where that was told before.
  mutating func explain(_ boot: BootID, damage bounds: ClosedRange<UInt64>) -> Bool {
    update(boot) { run in
      run.settled.insert(bounds)
      if run.damages.contains(bounds) { return false }
      run.damages = run.damages.suffix(Run.damageCapacity - 1) + [bounds]
      return true
    } ?? true
  }

  /// Begins where an earlier run of the fleet tool ended.
  /// - Parameters:
  ///   - runs: oldest first; the last is the current one.
  ///   - isConfirmed: of the current one.
  mutating func restore(_ runs: [Run], interleavings: Int) {
    former = Array(runs.dropLast().suffix(Self.capacity))
    current = runs.last
    count = runs.count
    self.interleavings = interleavings
  }
}

extension BootLog.Run {
  /// The event with the highest number of all but waveforms, which are sent after everything else.
  struct Top: Equatable, Sendable {
    var sequence: UInt64
    /// The latest that is known of the run when its number came [s].
    var uptime: Double
  }

  /// A run of which an earlier run of the fleet tool knew.
  init(_ kept: KeptBoot, order: Int) {
    self.init(Envelope(boot: kept.boot), order: order)
    for range in kept.settled {
      sequences.insert(range)
      settled.insert(range)
    }
    firstLive = kept.settled.first?.lowerBound
    if let clock = kept.clock { restoreClock(clock) }
  }
}
