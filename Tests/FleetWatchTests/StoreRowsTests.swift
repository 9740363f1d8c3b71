import Daemon
import FleetLogic
import MQTT
import Rig
import Store
import Telemetry
import Testing

@testable import FleetWatch

/// From the state through the database and back.
@Suite struct StoreRowsTests {
  private func topic(_ text: String) -> [UInt8] { Array("judder/a/\(text)".utf8) }

  private func payload(_ sequence: UInt64?, _ up: Double, _ body: Telegram.Body) -> [UInt8] {
    Telegram(
      Envelope(
        boot: BootID(7), sequence: sequence, time: WallTime(seconds: 1_796_000_000 + up), clock: .ntp, uptime: up), body
    ).encode()
  }

  @Test func whatIsKeptComesBack() throws {
    let place = try Workplace("store-rows")
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .ntp)
    let configuration = FleetState.Configuration(graceS: 0, rules: [Rule(name: "shake", kind: .shake)], keeps: true)
    var fleet = FleetState(configuration, clock: clock)
    var queue = HoldingQueue()
    var at = Instant(seconds: 10)
    func take(_ stream: String, _ payload: [UInt8]) {
      at = at + 1
      _ = queue.take(fleet.handle(.message(topic: topic(stream), payload: payload, retained: false), at: at), at: at)
    }
    let fix = LocationMessage.Position(dimensions: 3, latitude: 47, longitude: 8, ageS: 1, cause: .first)
    let loss = LocationMessage.Loss(reason: .noFix, last: nil, isBacklog: false)
    take("status", payload(nil, 1, .status(StatusMessage(.online))))
    take("location", payload(1, 2, .location(.fixed(fix))))
    take("location", payload(2, 3, .location(.lost(loss))))
    for (sequence, fence) in [(3, "depot"), (4, "yard/2")] as [(UInt64, String)] {
      let crossing = GeofenceMessage(fence: fence, .enter, latitude: 47, longitude: 8, ageS: 1, edgeM: 5)
      take("geofence", payload(sequence, 4, .geofence(crossing)))
    }
    let shake = ShakeMessage(
      id: 3, phase: .began, start: WallTime(seconds: 1_796_000_000), durationS: 1, peakG: 2, energyG2S: 1, cavGS: 1,
      reversals: 4, axis: .x)
    take("shake", payload(9, 5, .shake(shake)))
    take(
      "evicted", payload(10, 6, .evicted(EvictedMessage(first: 6, last: 7, count: 2, counts: [.location: 2], .cap))))

    let settings = StoreSettings(file: place.path("fleet.db"))
    let closed = queue.close(isIdle: true, at: at)
    let batch = try #require(closed).batch
    do {
      let store = try HistoryStore(settings)
      let report = try store.commit(StoreBatch(batch, id: 1, now: WallTime(seconds: 1_796_000_020)))
      #expect(report.count(.stored) == 6)
      let told = try #require(report.acknowledgements.first)
      #expect(told.sequence == 4)
      #expect(told.also == [9...10], "5 and 8 are missing; 6 and 7 were given up")
      store.close()
    }
    var restored = FleetState(configuration, clock: clock)
    var effects: [Effect] = []
    let store = try HistoryStore(settings)
    try store.load { effects += restored.restore(FleetLogic.KeptFleet($0), at: at) }
    let name = try #require(NodeName("a"))
    let node = try #require(restored.node(name))
    #expect(node.boot == BootID(7))
    #expect(node.presence == .online)
    #expect(node.missing == 2)
    #expect(node.crossings.keys.sorted() == ["depot", "yard/2"])
    #expect(node.position?.content == fix)
    #expect(node.location?.content == .lost(loss))
    #expect(node.shake?.content.id == 3)
    #expect(restored.firingCount == 1)
    let alerts = effects.compactMap { if case .alert(let alert) = $0 { alert } else { nil } }
    #expect(alerts.map(\.state) == [.firing], "it was not told yet")
  }

  @Test func whatIsRememberedWhileNothingGoesOnComesBack() throws {
    let place = try Workplace("store-rows")
    let settings = StoreSettings(file: place.path("fleet.db"))
    var over = FleetLogic.KeptAlert(
      rule: "shake", subject: .fleet, phase: .quiet, since: WallTime(seconds: 1_796_000_000), count: 1,
      at: WallTime(seconds: 1_796_000_020))
    over.lastShake = ShakeIdentity(boot: BootID(7), id: 3)
    let row = Store.KeptAlert(over, AlertIdentity(rule: "shake", subject: "@fleet"))
    #expect(row.isTold && row.phase == .quiet)
    do {
      let store = try HistoryStore(settings)
      var batch = StoreBatch(id: 1, now: nil)
      batch.alerts = [row]
      _ = try store.commit(batch)
      store.close()
    }
    var restored: [FleetLogic.KeptAlert] = []
    let store = try HistoryStore(settings)
    try store.load { restored += FleetLogic.KeptFleet($0).alerts }
    #expect(restored.map(\.lastShake) == [over.lastShake])
    #expect(try HistoryReader(settings.file).alerts().isEmpty, "for people it is over")
  }

  @Test func anInspectionFindsWhatThereIsAndChangesNothing() throws {
    let place = try Workplace("store-rows")
    let settings = StoreSettings(file: place.path("fleet.db"))
    #expect(try HistoryStore.inspect(settings).sizeBytes == 0)
    let store = try HistoryStore(settings)
    #expect(try HistoryStore.inspect(settings).isInUse)
    store.close()
    let found = try HistoryStore.inspect(settings)
    #expect(found.events == 0)
    #expect(found.isCheckWhole)
    #expect(throws: StoreProblem.self) { try HistoryStore.inspect(StoreSettings(file: "/nowhere/at/all/fleet.db")) }
    let broken = try place.write("broken.db", String(repeating: "x", count: 8192))
    #expect(throws: StoreProblem.self) { try HistoryStore.inspect(StoreSettings(file: broken)) }
  }
}

@Suite struct StoreKeysTests {
  private func load(_ text: String, _ environment: [String: String] = [:]) throws -> FleetConfiguration {
    try FleetConfiguration(
      Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), clientID: "c", password: nil,
      environment: environment)
  }

  @Test func theFileIsWhereItIsSaidElseWhereSystemdSays() throws {
    let state = ["STATE_DIRECTORY": "/var/lib/judder-fleet:/var/lib/judder-fleet/waveforms"]
    #expect(try load("", state).store == StoreSettings(file: "/var/lib/judder-fleet/fleet.db"))
    let set = try load("[store]\nfile = \"/srv/x.db\"\nkeep_days = 7\ncap_mb = 50", state).store
    #expect(set == StoreSettings(file: "/srv/x.db", keepDays: 7, capMB: 50))
    #expect(try load("").store == nil)
  }

  @Test func onlyRunKeepsAndSaysWhenItCannot() throws {
    var run = try load("[store]\nfile = \"/srv/x.db\"")
    run.run()
    #expect(run.fleet.keeps)
    #expect(run.broker.sessionExpiryS == 86_400)
    #expect(!run.warnings.contains(StoreSettings.absence))
    var without = try load("")
    without.run()
    #expect(!without.fleet.keeps)
    #expect(without.warnings == [StoreSettings.absence])
    var watch = try load("[store]\nfile = \"/srv/x.db\"")
    watch.watch()
    #expect(watch.store == nil)
    #expect(!watch.fleet.keeps)
    #expect(watch.broker.sessionExpiryS == 0)
  }

  @Test func theClientIDOfRunIsTheHosts() {
    #expect(FleetConfiguration.clientID(hostName: "gate-1") == "judder-fleet-gate-1")
    #expect(FleetConfiguration.clientID(hostName: "") == "judder-fleet-run")
  }
}
