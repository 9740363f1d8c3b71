internal import Foundation
internal import Rig

/// The broker, judder-fleet with a store and four sinks, and mosquitto_sub beside it.
final class Stage {
  let broker: Broker
  let ears = Ears()
  let fleet: ChildProcess
  private let place: Workplace
  private let receiver: HTTPReceiver
  private let subscribers: [ChildProcess]

  /// - Returns: once all of them have their subscriptions.
  init(fleet program: String, isKept: Bool, in place: Workplace) throws {
    self.place = place
    var options = Broker.Options()
    options.logsPackets = false
    // As deploy/mosquitto/judder.conf has them.
    options.lines = ["set_tcp_nodelay true", "max_queued_messages 10000"]
    broker = try Broker(options, in: place)
    try broker.start()
    let webhook = ears.webhook
    receiver = try HTTPReceiver { _, request in
      webhook.take(request.body, at: monotonicS())
      return HTTPReceiver.Answer()
    }
    let fifo = place.path("command")
    guard mkfifo(fifo, 0o600) == 0 else { throw RigError("mkfifo \(fifo) failed") }
    // Open for writing as well, so that there is no end between two programs.
    ears.command.listen(open(fifo, O_RDWR | O_CLOEXEC))
    let file = try place.write(
      "fleet.toml", Stage.configuration(port: broker.port, hook: receiver.port, fifo, isKept ? place.path("db") : nil))
    fleet = try Stage.start(program, ["run", "--config", file], for: ears.json, in: place)
    let common = ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-v", "-i"]
    subscribers = [
      // Acknowledgements are judder-fleet's, not the nodes'.
      try Stage.start(
        "mosquitto_sub", common + ["all", "-t", "judder/#", "-T", "judder/+/ack"], for: ears.yardstick, in: place),
      try Stage.start("mosquitto_sub", common + ["alerts", "-t", "judder-fleet/alerts/#"], for: ears.mqtt, in: place),
    ]
    let wanted = ["bench-fleet 1 judder/", "all 1 judder/", "alerts 1 judder-fleet/"]
    guard waitUntil(seconds: 20, { [broker] in wanted.allSatisfy { broker.log.contains($0) } }) else {
      throw RigError("not everybody has a subscription: \(broker.log.suffix(600)) \(fleet.errorText())")
    }
  }

  /// Starts a program whose standard output the ear hears.
  private static func start(
    _ program: String, _ arguments: [String], for ear: Ear, in place: Workplace
  ) throws -> ChildProcess {
    let pipe = Pipe()
    ear.listen(dup(pipe.fileHandleForReading.fileDescriptor))
    return try ChildProcess(
      program, arguments, name: ear.name, in: place.folder, sockets: (.nullDevice, pipe.fileHandleForWriting))
  }

  private static func configuration(port: Int, hook: Int, _ fifo: String, _ store: String?) -> String {
    """
    [broker]
    host = "127.0.0.1"
    port = \(port)
    client_id = "bench-fleet"
    \(store.map { "[store]\nfile = \"\($0)\"" } ?? "")
    [[rule]]
    kind = "shake"
    clear_for_s = 604800
    [[sink]]
    kind = "json"
    [[sink]]
    kind = "mqtt"
    [[sink]]
    kind = "command"
    command = ["/bin/dd", "bs=4096", "status=none", "of=\(fifo)"]
    per_minute = 6000
    [[sink]]
    kind = "webhook"
    url = "http://127.0.0.1:\(hook)/hook"

    """
  }

  /// Ends judder-fleet, and answers what it says about the messages that it took.
  func stop() throws -> String {
    for subscriber in subscribers { subscriber.stop() }
    guard fleet.stop() == 0 else { throw RigError("judder-fleet did not end in order: \(fleet.errorText())") }
    receiver.stop()
    broker.stop()
    return fleet.errorText()
  }
}

/// What a process has used: proc(5).
struct Usage {
  /// Processor time [s].
  let processorS: Double
  /// Resident memory now, and at the most [MB].
  let residentMB: Double, mostMB: Double
  /// What the kernel wrote to the disk for it [MB].
  let writtenMB: Double

  init(of process: Int32) {
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    let fields = stat.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
    let ticks = [11, 12].map { fields.indices.contains($0) ? Double(fields[$0]) ?? 0 : 0 }.reduce(0, +)
    processorS = ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let io = (try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)) ?? ""
    func number(_ key: String, in text: String) -> Double {
      let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
      return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
    }
    // Of 1024 bytes each.
    (residentMB, mostMB) = (number("VmRSS:", in: status) * 1024e-6, number("VmHWM:", in: status) * 1024e-6)
    writtenMB = number("write_bytes:", in: io) * 1e-6
  }
}
