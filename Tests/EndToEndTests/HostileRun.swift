import FleetLogic
import Foundation
import Rig
import Telemetry

/// A judder-fleet with every kind of sink, among hostile neighbours.
final class HostileRun {
  static let rules = "[[rule]]\nkind = \"geofence\"\n[[rule]]\nkind = \"shake\"\nclear_for_s = 0.5\n"

  let place: Workplace
  let broker: Broker
  let hook: HTTPReceiver
  let corpus: HostileCorpus
  let file: String
  let tool: ChildProcess
  let port: Int
  /// What the broker took, in order: what the fleet tool must account for.
  private(set) var taken: [HostileMessage] = []
  private let publisher: RawPublisher

  init() throws {
    place = try Workplace("e2e-hostile")
    var options = Broker.Options()
    options.lines = ["set_tcp_nodelay true"]
    broker = try Broker(options, in: place)
    try broker.start()
    hook = try HTTPReceiver()
    port = try Workplace.freePort()
    let canary = place.path("canary")
    try FileManager.default.createDirectory(atPath: canary, withIntermediateDirectories: true)
    corpus = HostileCorpus(canary: canary, time: Int(Date().timeIntervalSince1970))
    publisher = RawPublisher(port: broker.port)
    file = try Self.configuration(place, broker: broker.port, hook: hook.port, http: port)
    for message in corpus.retained where publisher.publish(message.topic, message.payload, isRetained: true) {
      taken.append(message)
    }
    tool = try ChildProcess(
      Programs.fleet, ["run", "--config", file], name: "tool", in: place.folder,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  private static func configuration(_ place: Workplace, broker: Int, hook: Int, http: Int) throws -> String {
    let run = try script(
      place, "run.sh",
      """
      printf '%s\\n' "$@" >> argv
      env | grep ^JUDDER >> env
      eval "echo $JUDDER_ALERT_ID $JUDDER_ALERT_NODE" > /dev/null
      cat >> stdin
      """)
    let mail = try script(place, "mail.sh", "printf '%s\\n' \"$@\" >> mailargv\ncat >> mails")
    let template = try place.write(
      "hook.json", "{\"text\":\"{{summary}}\",\"id\":\"{{alert_id}}\",\"alert\":{{alert}}}")
    return try place.write(
      "fleet.toml",
      """
      [fleet]
      grace_s = 0
      [broker]
      host = "127.0.0.1"
      port = \(broker)
      [store]
      file = "\(place.path("fleet.db"))"
      [http]
      port = \(http)
      [alerts]
      flap_count = 0
      \(rules)
      [[sink]]
      kind = "console"
      [[sink]]
      kind = "mqtt"
      [[sink]]
      kind = "json"
      file = "\(place.path("alerts.json"))"
      [[sink]]
      kind = "command"
      command = ["\(run)", "one", "$(touch \(place.path("canary"))/argv)"]
      per_minute = 6000
      [[sink]]
      kind = "webhook"
      url = "http://127.0.0.1:\(hook)/hook"
      template = "\(template)"
      [[sink]]
      kind = "sendmail"
      program = "\(mail)"
      from = "judder@example.org"
      to = ["ops@example.org"]
      collect_s = 0.2

      """)
  }

  private static func script(_ place: Workplace, _ name: String, _ body: String) throws -> String {
    let path = try place.write(name, "#!/bin/sh\ncd \(place.folder.path) || exit 1\n\(body)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// Publishes everything, and the words of a real node in the middle of it. Answers how many the broker refused.
  func attack() -> Int {
    let real = { (number: UInt64, body: Telegram.Body) -> HostileMessage in
      var envelope = Envelope(boot: BootID(7))
      (envelope.time, envelope.clock) = (WallTime(seconds: Double(self.corpus.time)), .ntp)
      envelope.uptime = 100
      if body.stream.isEvent { envelope.sequence = number }
      return HostileMessage(
        topic: Array("judder/pump-7/\(body.stream.rawValue)".utf8), payload: Telegram(envelope, body).encode())
    }
    let shake = { (phase: ShakeMessage.Phase) in
      Telegram.Body.shake(
        ShakeMessage(
          id: 1, phase: phase, reason: nil, start: WallTime(seconds: Double(self.corpus.time)), durationS: 1,
          peakG: 1.5, energyG2S: 0.5, cavGS: 0.7, reversals: 4, axis: .x))
    }
    var all = corpus.messages
    all.insert(real(0, .status(StatusMessage(.online))), at: 10)
    all.insert(real(1, shake(.began)), at: all.count / 2)
    all.insert(real(2, shake(.ended)), at: all.count * 3 / 4)
    all += corpus.ends
    var refused = 0
    for message in all {
      if publisher.publish(message.topic, message.payload, isRetained: message.isRetained) {
        taken.append(message)
      } else {
        refused += 1
      }
    }
    return refused
  }

  /// What a fleet makes of what the broker took, were it told without a broker, programs and files.
  func expected() -> (tally: Tally, alerts: Set<String>) {
    let fence = Rule(name: "geofence", kind: .geofence)
    var shake = Rule(name: "shake", kind: .shake)
    shake.clearForS = 0.5
    var configuration = FleetState.Configuration(graceS: 0, rules: [fence, shake])
    configuration.flapping.count = 0
    var fleet = FleetState(
      configuration, clock: ClockState(wallAtStart: WallTime(seconds: Double(corpus.time)), quality: .ntp))
    var now = Instant.start
    var effects = fleet.handle(.connected, at: now)
    for message in taken where fleet.subscriptions.contains(where: { Self.matches($0, message.topic) }) {
      now = now + 0.001
      effects += fleet.handle(
        .message(topic: message.topic, payload: message.payload, retained: isKept(message)), at: now)
    }
    effects += fleet.handle(.tick, at: now + 1)
    effects += fleet.handle(.tick, at: now + 20)
    let alerts = effects.compactMap { effect -> String? in
      guard case .alert(let alert) = effect else { return nil }
      return "\(alert.rule) \(alert.subject) \(alert.state.rawValue)"
    }
    return (fleet.tally, Set(alerts))
  }

  /// Published before the fleet tool came.
  private func isKept(_ message: HostileMessage) -> Bool {
    message.isRetained && corpus.retained.contains { $0.topic == message.topic }
  }

  /// As section 4.7 of MQTT 5 says; filters with `+` only.
  private static func matches(_ filter: String, _ topic: [UInt8]) -> Bool {
    let levels = topic.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
    return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0.elementsEqual($1.utf8) }
  }

  /// The values of a family of /metrics, by their labels.
  static func metrics(_ family: String, _ text: String) -> [String: Int] {
    var values: [String: Int] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix(family) {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let value = Double(parts[1]) else { continue }
      let label = parts[0].split(separator: "\"")
      let name = String(parts[0].prefix { $0 != "{" })
      if name == family { values[label.count > 1 ? String(label[1]) : "", default: 0] += Int(value) }
    }
    return values
  }

  func bytes(_ name: String) -> [UInt8] { FileManager.default.contents(atPath: place.path(name)).map(Array.init) ?? [] }

  func text(_ name: String) -> String { String(decoding: bytes(name), as: UTF8.self) }

  func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }
}
