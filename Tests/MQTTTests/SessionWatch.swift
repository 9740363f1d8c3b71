import Foundation
import Glibc
import MQTT
import Rig
import Testing

/// Everything that needs a broker runs one at a time, so that threads and descriptors can be counted.
@Suite("With a real broker", .serialized)
struct WithBroker {}

/// A session and everything it has told so far. Every wait ends.
final class SessionWatch {
  let session: BrokerSession
  private(set) var events: [SessionEvent] = []
  private var looked = 0

  convenience init(_ settings: BrokerSettings, capacity: Int = 1024) throws {
    try self.init(BrokerSession(settings, capacity: capacity))
  }

  init(_ session: BrokerSession) throws {
    self.session = session
    try session.start()
  }

  deinit { session.stop(deadlineS: 2, settling: false) }

  /// The next event that `choose` makes something of; earlier ones are passed over. Fails after `seconds`.
  func next<Result>(
    seconds: Double = 8, _ what: Comment, at place: SourceLocation = #_sourceLocation,
    _ choose: (SessionEvent) -> Result?
  ) throws -> Result {
    let end = DispatchTime.now() + seconds
    while true {
      while looked < events.count {
        looked += 1
        if let result = choose(events[looked - 1]) { return result }
      }
      let isOver = DispatchTime.now() > end
      var entry = pollfd(fd: session.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 20)
      let new = session.drain()
      events += new
      if isOver, new.isEmpty {
        return try #require(nil as Result?, "no \(what) in \(events.suffix(12))", sourceLocation: place)
      }
    }
  }

  @discardableResult
  func connected(at place: SourceLocation = #_sourceLocation) throws -> Connection {
    try next("connection", at: place) { if case .connected(let connection) = $0 { connection } else { nil } }
  }

  @discardableResult
  func problem(
    seconds: Double = 8, at place: SourceLocation = #_sourceLocation
  ) throws -> LinkProblem {
    try next(seconds: seconds, "problem", at: place) {
      if case .disconnected(let problem, _, _) = $0 { problem } else { nil }
    }
  }

  func message(at place: SourceLocation = #_sourceLocation) throws -> Message {
    try next("message", at: place) { if case .message(let message) = $0 { message } else { nil } }
  }

  func subscribed(at place: SourceLocation = #_sourceLocation) throws {
    _ = try next("subscription", at: place) { event -> Bool? in
      if case .subscribed(_, .success) = event { true } else { nil }
    }
  }

  func delivery(of token: UInt64, at place: SourceLocation = #_sourceLocation) throws -> Delivery {
    try next("delivery of \(token)", at: place) {
      if case .delivered(token, let delivery) = $0 { delivery } else { nil }
    }
  }

  func refusal(of token: UInt64, at place: SourceLocation = #_sourceLocation) throws -> Refusal {
    try next("refusal of \(token)", at: place) {
      if case .refused(token, let refusal) = $0 { refusal } else { nil }
    }
  }

  func publish(
    _ topic: String, _ text: String, qos: QoS = .atLeastOnce, isRetained: Bool = false, token: UInt64 = 1
  ) -> Acceptance {
    session.publish(
      Publication(topic: topic, payload: Array(text.utf8), qos: qos, isRetained: isRetained, token: token))
  }
}

/// Settings for a port of this machine, with waits fit for a test.
func localSettings(_ port: Int, id: String = "node-1") -> BrokerSettings {
  var settings = BrokerSettings(host: "127.0.0.1")
  settings.port = port
  settings.clientID = id
  settings.backoff = Backoff.Settings(firstS: 0.05, maxS: 0.2, stableS: 60)
  return settings
}

extension Message {
  var text: String { String(decoding: payload, as: UTF8.self) }
}

/// A broker that runs until the value goes.
struct RunningBroker {
  let workplace: Workplace
  let broker: Broker

  init(_ change: (inout Broker.Options, Workplace) throws -> Void = { _, _ in }) throws {
    workplace = try Workplace("mqtt")
    var options = Broker.Options()
    try change(&options, workplace)
    broker = try Broker(options, in: workplace)
    try broker.start()
  }
}

/// So that a failed expectation shows what was said instead.
func == (problem: LinkProblem, kind: LinkProblem.Kind) -> Bool { problem.kind == kind }
