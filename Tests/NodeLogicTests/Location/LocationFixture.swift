import NodeLogic
import Telemetry

/// A tracker fed by hand: a connection, a device, and reports at given seconds.
struct LocationFixture {
  var tracker: LocationTracker
  /// What was published.
  private(set) var outputs: [LocationOutput] = []
  /// What was decided about fixes, where `keepsDecisions`.
  private(set) var decisions: [FixDecision] = []
  var keepsDecisions = true
  var now = Instant.start

  init(_ settings: LocationTracker.Settings = LocationTracker.Settings(), isUp: Bool = true) {
    tracker = LocationTracker(settings)
    if isUp {
      feed(.link(.up(release: "3.22")))
      feed(.report(.devices([GpsdDevice(path: "/dev/a", isActivated: true)])))
    }
  }

  mutating func feed(_ input: GpsdInput) { keep(tracker.handle(input, at: now)) }

  mutating func tick() { keep(tracker.tick(at: now)) }

  /// The machine is suspended now, for so long.
  mutating func sleep(_ seconds: Double) {
    keep(tracker.fallAsleep(at: now))
    tracker.wake(after: seconds, at: now)
  }

  private mutating func keep(_ new: [LocationOutput]) {
    for output in new {
      if case .decided(let decision) = output.content {
        if keepsDecisions { decisions.append(decision) }
      } else {
        outputs.append(output)
      }
    }
  }

  mutating func feed(_ position: GpsdPosition) { feed(.report(.position(position))) }

  /// Lets time pass to `seconds`, keeping every deadline on the way.
  mutating func pass(to seconds: Double) {
    while let due = tracker.nextDeadline, due.seconds <= seconds {
      now = max(now, due)
      tick()
    }
    now = Instant(seconds: seconds)
  }

  /// A fix at `seconds`, `metres` north of a place in Zurich; the receiver's time follows the clock unless told.
  mutating func fix(
    at seconds: Double, north metres: Double = 0, accuracyM: Double? = 5, mode: Int = 3, time: Double?? = .none,
    device: String = "/dev/a", status: Int? = nil
  ) {
    pass(to: seconds)
    var position = GpsdPosition(device: device, mode: mode)
    position.latitude = 47 + metres / 111_195.08
    position.longitude = 8
    position.ephM = accuracyM
    position.status = status
    position.altitudeMSLM = 400
    position.time = (time ?? seconds).map { WallTime(seconds: 1_700_000_000 + $0) }
    feed(position)
  }

  mutating func noFix(at seconds: Double, device: String = "/dev/a", status: Int? = nil) {
    pass(to: seconds)
    var position = GpsdPosition(device: device, mode: 1)
    position.status = status
    feed(position)
  }

  mutating func input(_ input: GpsdInput, at seconds: Double) {
    pass(to: seconds)
    feed(input)
  }

  /// `first@0.3`, `lost(no_fix)@30.0`: what was published, and when.
  var story: [String] { outputs.map(LocationFixture.word) }

  private static func word(_ output: LocationOutput) -> String {
    let at = (output.at.seconds * 10).rounded() / 10
    switch output.content {
    case .fixed(let position): return "\(position.cause.rawValue)@\(at)"
    case .lost(let loss): return "lost(\(loss.reason.rawValue))@\(at)"
    case .decided: return "decided@\(at)"
    case .fence(let event): return "\(event.kind.rawValue)(\(event.fence))@\(at)"
    }
  }

  var positions: [LocationMessage.Position] {
    outputs.compactMap { if case .fixed(let position) = $0.content { position } else { nil } }
  }
}
