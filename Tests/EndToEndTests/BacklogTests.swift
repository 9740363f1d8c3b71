import Foundation
import NodeLogic
import Rig
import Spool
import Store
import Telemetry
import Testing

/// What waited goes out fast, and on a bad link, and never before what happens now.
@Suite(.serialized) struct BacklogTests {
  /// 100 000 of them: `JUDDER_BACKLOG=100000`.
  @Test func aBacklogDrainsWhileLiveEventsPass() throws {
    let count = drillCount("JUDDER_BACKLOG", orInTests: 4000)
    let drill = try DeliveryDrill("e2e-backlog", rateHz: 2, keys: ["spool.cap_mb": "256"])
    let boot = BootID(0xB0B0_B0B0)
    try SpoolFilling.fill("\(drill.nodeFolder)/spool", with: count, of: boot)
    // %U: when it came.
    let listener = try drill.broker.subscribe("judder/e2e/location", arguments: ["-F", "%U %p", "-W", "3600"])
    let startS = Date().timeIntervalSince1970
    let node = try drill.startNode()
    let spool = try drill.waitUntilDrained(seconds: 60 + Double(count) / 500)
    #expect(spool?.events ?? count < 10, "\(String(describing: spool)) \(node.log.suffix(5))")
    let heard = Heard(listener.outputText())
    let lastS = try #require(heard.arrivals(of: boot).max())
    let latenesses = heard.latenessesS(except: boot, until: lastS).sorted()
    // The drain is over with the last of the backlog.
    #expect(latenesses.count >= 2 && (latenesses.last ?? 9) < 2, "\(latenesses)")
    drill.receiver.stop()
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 6) == 0)
    let stored = try StoredEvents(drill.history())
    #expect(stored.numbers[boot]?.count == count && stored.gaps == [] && stored.rows == stored.count)
    let firstS = heard.arrivals(of: boot).min() ?? startS
    report(
      "backlog of \(count) in \(lastS - firstS) s, \(Double(count) / (lastS - firstS)) a second;"
        + " live events meanwhile late by at most \(latenesses.last ?? 0) s")
  }

  /// A way to the broker that is bad all the time, or now and then.
  enum Way: String, CaseIterable, Sendable {
    case clear, slow, narrow, cutInPublish, cutAnywhere, blackHoles

    var faults: FaultyProxy.Faults {
      switch self {
      case .clear, .blackHoles: FaultyProxy.Faults()
      case .slow: FaultyProxy.Faults(bothWays: FaultyProxy.Way(delayS: 0.3, jitterS: 0.1))
      case .narrow: FaultyProxy.Faults(bothWays: FaultyProxy.Way(bytesPerS: 8000))
      case .cutInPublish: FaultyProxy.Faults(toServer: FaultyProxy.Way(cut: .publishes(chance: 0.02)))
      case .cutAnywhere: FaultyProxy.Faults(bothWays: FaultyProxy.Way(cut: .chunks(chance: 0.01)))
      }
    }
  }

  /// 2000 of them: `JUDDER_BAD_WAY=2000`.
  @Test func aBadWayLosesNothingAndCostsLittle() throws {
    let count = drillCount("JUDDER_BAD_WAY", orInTests: 150)
    let results = Parallel.map(Way.allCases) { way in Result { try BacklogTests.send(count, over: way) } }
    var bytes: [Way: Double] = [:]
    for (way, result) in zip(Way.allCases, results) { bytes[way] = Double(try result.get()) }
    let clear = try #require(bytes[.clear])
    for way in Way.allCases {
      let overhead = (bytes[way] ?? .infinity) / clear
      report("\(count) events over a way that is \(way): \(overhead) times the bytes of a clear one, 0 lost")
      #expect(overhead <= 1.5, "\(way)")
    }
  }

  /// Sends a backlog, and answers the bytes that both sides gave the proxy.
  private static func send(_ count: Int, over way: Way) throws -> Int {
    let brokerPort = try Workplace.freePort()
    let proxy = try FaultyProxy(to: brokerPort, way.faults, seed: 7)
    defer { proxy.stop() }
    let drill = try DeliveryDrill(
      "e2e-way-\(way)", rateHz: 0.001, nodePort: proxy.port, brokerPort: brokerPort,
      keys: ["health.interval_s": "2", "broker.keepalive_s": "5"])
    let boot = BootID(0xB0B0_B0B0)
    try SpoolFilling.fill("\(drill.nodeFolder)/spool", with: count, of: boot)
    let node = try drill.startNode()
    if way == .blackHoles {
      for _ in 0..<2 {
        _ = waitUntil(seconds: 1.5) { !node.process.isRunning }
        proxy.faults = .blackHole
        _ = waitUntil(seconds: 8) { !node.process.isRunning }
        proxy.faults = FaultyProxy.Faults()
      }
    }
    let spool = try drill.waitUntilDrained(seconds: 120 + Double(count) / 4)
    let sent = proxy.statistics.sentByClient + proxy.statistics.sentByServer
    #expect(spool?.events == 0 && spool?.evicted == 0, "\(way) \(String(describing: spool)) \(node.log.suffix(5))")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 6) == 0)
    let stored = try StoredEvents(drill.history())
    #expect(stored.numbers[boot]?.count == count && stored.gaps == [] && stored.rows == stored.count, "\(way)")
    return sent
  }
}

/// Puts events into a spool as a node of an earlier run left them.
enum SpoolFilling {
  static func fill(_ folder: String, with count: Int, of boot: BootID) throws {
    let limits = SpoolLimits(capBytes: 256_000_000, capAgeS: nil)
    var core = SpoolCore(disk: LinuxDisk(folder: folder), boot: boot.value, limits: limits)
    _ = core.open(atS: 0)
    for number in 1...UInt64(count) {
      let position = LocationMessage.Position(
        dimensions: 3, latitude: 47, longitude: 8.5 + Double(number) * 1e-6, ageS: 0.1, cause: .distance)
      let envelope = Envelope(
        boot: boot, sequence: number, time: WallTime(seconds: 1_700_000_000 + Double(number)), clock: .ntp,
        uptime: Double(number))
      let telegram = Telegram(envelope, .location(.fixed(position)))
      let record = SpoolRecord(
        boot: boot.value, sequence: number, lane: .routine, kind: Telemetry.Stream.location.storedNumber ?? 0,
        payload: telegram.encode())
      _ = core.handle(.append(record, bornAtS: nil), atS: Double(number) * 0.001)
    }
    let ended = core.handle(.stop, atS: Double(count))
    guard ended.contains(.stopped) else { throw RigError("the spool in \(folder) took nothing: \(ended)") }
  }
}

/// What mosquitto_sub printed as `time payload`.
private struct Heard {
  private var messages: [(atS: Double, envelope: Envelope)] = []

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let atS = Double(parts[0]),
        let telegram = try? Telegram.decode(stream: .location, payload: Array(parts[1].utf8))
      else { continue }
      messages.append((atS, telegram.envelope))
    }
  }

  func arrivals(of boot: BootID) -> [Double] { messages.filter { $0.envelope.boot == boot }.map(\.atS) }

  /// How long after their measurement the others came.
  func latenessesS(except boot: BootID, until lastS: Double) -> [Double] {
    messages.filter { $0.envelope.boot != boot && $0.atS <= lastS }.compactMap { message in
      message.envelope.time.map { message.atS - $0.seconds }
    }
  }
}

/// Waits that do not need to be one after the other.
enum Parallel {
  static func map<Element: Sendable, Answer: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) -> Answer
  ) -> [Answer] {
    let answers = Lane<Answer>(count: elements.count)
    DispatchQueue.concurrentPerform(iterations: elements.count) { answers.set($0, body(elements[$0])) }
    return answers.all
  }
}

/// `@unchecked Sendable`: the array is behind `lock`.
private final class Lane<Element>: @unchecked Sendable {
  private let lock = NSLock()
  private var elements: [Element?]

  init(count: Int) { elements = [Element?](repeating: nil, count: count) }

  func set(_ index: Int, _ element: Element) { lock.withLock { elements[index] = element } }
  var all: [Element] { lock.withLock { elements.compactMap { $0 } } }
}
