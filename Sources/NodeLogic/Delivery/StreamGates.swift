internal import Telemetry

/// Which streams are worth sending to just now.
///
/// A broker's access list and its subscriptions are by topic, and each stream has one. Of a stream that nobody
/// subscribes to (MQTT 5, reason 16) what happens now is still sent, once; what is late waits, and its oldest event is
/// sent again as a probe after 60 s, then after twice as long each time, up to an hour. A new connection brings the
/// probe forward to a sixth of that wait. Of a stream that the broker denies nothing is sent until the next connection,
/// or for an hour.
struct StreamGates: Equatable, Sendable {
  private static let firstWaitS = 60.0
  private static let longestWaitS = 3600.0
  private static let hurry = 6.0

  private enum Probe: Equatable {
    case waiting, called, underWay
  }

  private struct Gate: Equatable {
    var isDenied: Bool
    var waitS = StreamGates.firstWaitS
    /// When the wait began.
    var since: Instant
    var due: Instant
    var probe = Probe.waiting
  }

  private var gates: [Stream: Gate] = [:]
  /// Streams of which it was said that they are not taken, and not yet that they are.
  private var told: Set<Stream> = []

  /// When a stream is to be tried again.
  var nextDeadline: Instant? { gates.values.filter { $0.probe == .waiting }.map(\.due).min() }

  func isDenied(_ stream: Stream) -> Bool { gates[stream]?.isDenied ?? false }
  var denied: [Stream] { gates.filter(\.value.isDenied).map(\.key) }

  /// Whether one that is late may go.
  func mayAdmitLate(_ stream: Stream) -> Bool { gates[stream].map { !$0.isDenied && $0.probe == .called } ?? true }

  /// Whether an event may go; one that is late and may go is the probe.
  mutating func admits(_ stream: Stream, isLate: Bool) -> Bool {
    guard let gate = gates[stream] else { return true }
    if gate.isDenied { return false }
    guard isLate else { return true }
    guard gate.probe == .called else { return false }
    gates[stream]?.probe = .underWay
    return true
  }

  /// Nobody subscribes to it. Answers whether that is news.
  mutating func close(_ stream: Stream, isLate: Bool, at now: Instant) -> Bool {
    guard var gate = gates[stream], !gate.isDenied else {
      told.insert(stream)
      gates[stream] = Gate(isDenied: false, since: now, due: now + Self.firstWaitS)
      return true
    }
    let isProbe = isLate && gate.probe == .underWay
    if isProbe { gate.waitS = min(gate.waitS * 2, Self.longestWaitS) }
    // A probe that was called for when nothing late waited is one for what is late from now on, in its time.
    if isProbe || gate.probe == .called {
      (gate.since, gate.due, gate.probe) = (now, now + gate.waitS, .waiting)
      gates[stream] = gate
    }
    return false
  }

  /// A probe came back without the broker's word on the stream: the next late event is one.
  mutating func takeBackProbe(_ stream: Stream) {
    if gates[stream]?.probe == .underWay { gates[stream]?.probe = .called }
  }

  /// The broker denies it. Answers whether that is news.
  mutating func deny(_ stream: Stream, at now: Instant) -> Bool {
    if isDenied(stream) { return false }
    told.insert(stream)
    gates[stream] = Gate(isDenied: true, since: now, due: now + Self.longestWaitS)
    return true
  }

  /// The broker took one and somebody listens. Answers whether the stream was closed, and whether it is news that it is
  /// open: one that was denied is tried again without a gate.
  mutating func open(_ stream: Stream) -> (wasClosed: Bool, isNews: Bool) {
    let isNews = told.remove(stream) != nil
    guard let gate = gates.removeValue(forKey: stream) else { return (false, isNews) }
    // Who listens again seldom listens to one stream alone: the others need not wait for their own hour.
    if !gate.isDenied {
      for (other, gate) in gates where !gate.isDenied { gates[other]?.due = gate.since }
    }
    return (true, isNews)
  }

  /// The streams whose wait is over: of those that nobody subscribes to one late event may go, the others are open.
  mutating func due(at now: Instant) -> [Stream] {
    let due = gates.filter { $0.value.probe == .waiting && now >= $0.value.due }.map(\.key)
    for stream in due {
      if isDenied(stream) { gates[stream] = nil } else { gates[stream]?.probe = .called }
    }
    return due.sorted { $0.rawValue < $1.rawValue }
  }

  /// A new connection. Answers the streams that are open again.
  mutating func connect(at now: Instant) -> [Stream] {
    for (stream, gate) in gates where !gate.isDenied {
      gates[stream]?.probe = .waiting
      gates[stream]?.due = min(gate.due, gate.since + gate.waitS / Self.hurry)
    }
    let opened = denied.sorted { $0.rawValue < $1.rawValue }
    for stream in opened { gates[stream] = nil }
    return opened
  }
}
