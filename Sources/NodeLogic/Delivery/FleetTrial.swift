internal import Telemetry

/// What is sent of former runs while no fleet tool has spoken in this one: one window, and no more.
///
/// A restart forgets what was sent already. Where the fleet tool is away and the node starts with each ignition, all
/// that waits would else go out with each start. When the tool is there, its first acknowledgement comes within a
/// moment, and ends the trial.
struct FleetTrial: Sendable {
  /// A fleet tool has acknowledged something in this run.
  private var isHeard = false
  /// These may go.
  private var tried = EventSet()
  /// Others were passed over.
  private var isHolding = false

  /// Whether an event of a former run may go; it stays so.
  mutating func admits(_ key: EventKey, window: Int) -> Bool {
    if isHeard || tried.contains(key) { return true }
    guard tried.count < window else {
      isHolding = true
      return false
    }
    tried.insert(key)
    return true
  }

  /// A fleet tool has spoken, or its word does not count any more. Answers whether something was passed over.
  mutating func end(isHeard: Bool) -> Bool {
    defer { (self.isHeard, isHolding, tried) = (self.isHeard || isHeard, false, EventSet()) }
    return isHolding
  }

  /// No fleet tool will be asked for these. Answers whether the next window is to be tried instead.
  mutating func remove(_ runs: SequenceRuns, of boot: BootID) -> Bool {
    guard !tried[boot].isEmpty else { return false }
    tried.remove(runs, of: boot)
    guard tried.isEmpty, isHolding else { return false }
    isHolding = false
    return true
  }
}
