import Foundation
import Rig
import Telemetry

/// A message as mosquitto_sub printed it.
struct Received {
  /// As the publisher set it, for what comes live; always true for what the broker had kept.
  let isRetained: Bool
  let qos: Int
  let topic: String
  let payload: [UInt8]

  /// `retain QoS topic payload`; nil for a line that is not complete yet.
  init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let qos = Int(parts[1]) else { return nil }
    isRetained = parts[0] == "1"
    self.qos = qos
    topic = String(parts[2])
    payload = Array(parts[3].utf8)
  }

  /// The stream that the topic's last level names, or its last two.
  var stream: Telemetry.Stream? {
    let levels = topic.split(separator: "/")
    return levels.last.flatMap { Telemetry.Stream(rawValue: String($0)) }
      ?? Telemetry.Stream(rawValue: levels.suffix(2).joined(separator: "/"))
  }

  /// - Throws: what is wrong with it.
  func telegram() throws -> Telegram {
    guard let stream else { throw RigError("\(topic): no stream of this version") }
    return try Telegram.decode(stream: stream, payload: payload)
  }
}

/// mosquitto_sub on a broker: everything that is published under a filter.
final class Watcher {
  private let process: ChildProcess

  /// - Parameter seconds: it hears nothing after so long.
  /// - Returns: once the broker has its subscription.
  init(
    _ broker: Broker, _ filter: String = "judder/#", seconds: Int = 60, arguments more: [String] = []
  ) throws {
    process = try broker.subscribe(
      filter, arguments: ["-V", "5", "--retain-as-published", "-F", "%r %q %t %p", "-W", "\(seconds)"] + more)
  }

  deinit { process.stop(signal: SIGKILL) }

  var messages: [Received] {
    let text = process.outputText()
    // The last line may be half there.
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return text[..<end].split(separator: "\n").compactMap { Received($0) }
  }

  /// Those that are what docs/MESSAGES.md says; `Received.telegram` tells what is wrong with the others.
  var telegrams: [Telegram] { messages.compactMap { try? $0.telegram() } }

  var statuses: [StatusMessage] {
    telegrams.compactMap { if case .status(let message) = $0.body { message } else { nil } }
  }
  var accelerations: [AccelerationMessage] {
    telegrams.compactMap { if case .acceleration(let message) = $0.body { message } else { nil } }
  }
  var shakes: [ShakeMessage] {
    telegrams.compactMap { if case .shake(let message) = $0.body { message } else { nil } }
  }
  var orientations: [OrientationMessage] {
    telegrams.compactMap { if case .orientation(let message) = $0.body { message } else { nil } }
  }
  var locations: [LocationMessage] {
    telegrams.compactMap { if case .location(let message) = $0.body { message } else { nil } }
  }
  var healths: [HealthMessage] {
    telegrams.compactMap { if case .health(let message) = $0.body { message } else { nil } }
  }

  var replies: [ReplyMessage] {
    telegrams.compactMap { if case .reply(let message) = $0.body { message } else { nil } }
  }

  /// The numbers of the events, in the order in which they came.
  var sequences: [UInt64] { telegrams.compactMap(\.envelope.sequence) }

  func waitFor(_ state: StatusMessage.State, seconds: Double = 10) -> Bool {
    waitUntil(seconds: seconds) { statuses.last?.state == state }
  }
}
