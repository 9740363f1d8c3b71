import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

@testable import Sinks

@Suite struct AlertmanagerTests {
  @Test func whatFiresIsToldAgainUntilItIsResolvedAlsoAfterARestart() throws {
    let place = try Workplace()
    let server = try HTTPReceiver()
    let dead = try Workplace.freePort()
    defer { server.stop() }
    let urls = ["http://127.0.0.1:\(dead)", "http://127.0.0.1:\(server.port)/"]
    let work = SinkSettings.Work.alertmanager(AlertmanagerSettings(urls: urls, resendS: 0.2))
    var bench: SinkBench? = try SinkBench(work, place: place)
    try bench?.sink.deliver(try alert("1", summary: hostile))
    #expect(eventually { server.requests.count >= 3 })
    bench = nil
    let before = server.requests.count
    bench = try SinkBench(work, place: place)
    #expect(eventually { server.requests.count >= before + 2 }, "it goes on")
    try bench?.sink.deliver(try alert("1", .resolved))
    #expect(bench?.waitForDelivery(1) == true)
    let after = server.requests.count
    usleep(500_000)
    #expect(server.requests.count == after, "what is resolved is told once")

    let first = try #require(try JSONValue.parse(server.requests[0].body).array?.first)
    #expect(server.requests[0].head.hasPrefix("POST /api/v2/alerts "))
    #expect(first["labels"]?.members?.map(\.key) == ["alertname", "severity", "node", "kind"], "no values")
    #expect(first["annotations"]?["summary"]?.string == hostile && first["endsAt"] == nil)
    #expect(first["startsAt"]?.string == "2026-11-30T00:53:10.000Z")
    let last = try #require(try JSONValue.parse(server.requests[after - 1].body).array?.first)
    #expect(last["endsAt"]?.string == "2026-11-30T00:53:20.000Z" && last["labels"] == first["labels"])
  }
}

extension HTTPReceiver.Request {
  fileprivate var isEnd: Bool { String(decoding: body, as: UTF8.self).contains("endsAt") }
}

/// `@unchecked Sendable`: its truth is behind the lock.
private final class Flag: @unchecked Sendable {
  private let lock = NSLock()
  private var truth = false
  var isSet: Bool { lock.withLock { truth } }
  func set() { lock.withLock { truth = true } }
}

/// Nothing comes, and nothing ends.
private final class IdleErrand: Errand {
  let arrivals: Int32 = -1
  let ending: Int32 = -1
  let isStopping = false
  var warnings: [String] = []
  func attend() {}
  func log(_ text: String) {}
  func warn(_ text: String) { warnings.append(text) }
}

@Suite struct AlertmanagerTroubleTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test func anEndThatIsRefusedIsNotToldAsFiringForEver() throws {
    let server = try HTTPReceiver { _, request in
      String(decoding: request.body, as: UTF8.self).contains("endsAt") ? .init("400 Bad Request") : .init()
    }
    defer { server.stop() }
    let urls = ["http://127.0.0.1:\(server.port)"]
    let bench = try SinkBench(.alertmanager(AlertmanagerSettings(urls: urls, resendS: 0.1)), place: place)
    try bench.sink.deliver(try alert("1"))
    #expect(eventually { server.requests.count >= 2 })
    try bench.sink.deliver(try alert("1", .resolved))
    #expect(eventually { bench.state.givenUp == 1 })
    let after = server.requests.count
    usleep(400_000)
    #expect(server.requests.count == after)
    #expect(bench.files("firing").isEmpty && bench.files("failed").count == 1)
  }

  @Test func oneThatHangsHoldsUpTheOtherOnceAWhileOnly() throws {
    let hanging = try HTTPReceiver { _, _ in .init(hangs: true) }
    let server = try HTTPReceiver()
    defer {
      hanging.stop()
      server.stop()
    }
    let urls = [hanging, server].map { "http://127.0.0.1:\($0.port)" }
    let http = HTTPSettings(limitS: 0.3)
    let courier = AlertmanagerCourier(AlertmanagerSettings(urls: urls, http: http, resendS: 60))
    let errand = IdleErrand()
    for _ in 0..<5 { #expect(courier.carry([try notice()], errand) == .done) }
    #expect(server.requests.count == 5 && hanging.requests.count == 1)
    #expect(errand.warnings.count == 1)
    // Nobody takes it: then each is asked.
    server.stop()
    usleep(200_000)
    #expect(courier.carry([try notice()], errand) != .done)
    #expect(hanging.requests.count == 2)
  }

  /// Of many that fire, some are told again, and something new comes, and one of them ends.
  @Test func whatIsNewGoesBetweenWhatIsToldAgain() throws {
    let isSlow = Flag()
    let server = try HTTPReceiver { _, _ in
      if isSlow.isSet { usleep(300_000) }
      return .init()
    }
    defer { server.stop() }
    let urls = ["http://127.0.0.1:\(server.port)"]
    let bench = try SinkBench(.alertmanager(AlertmanagerSettings(urls: urls, resendS: 1)), place: place)
    func deliver(_ node: String, _ state: AlertMessage.State) throws {
      var alert = try alert(state, node: node)
      alert.id = node
      try bench.sink.deliver(alert)
    }
    for number in 0..<130 { try deliver("n\(number)", .firing) }
    #expect(bench.waitForDelivery(130))
    isSlow.set()
    let before = server.requests.count
    func again() -> Int? { server.requests.indices.first { $0 > before && told(server.requests[$0]).count == 64 } }
    #expect(eventually { again() != nil })
    let place = try #require(again())
    try deliver("new", .firing)
    try deliver("n129", .resolved)
    #expect(eventually { server.requests.count > place + 2 })
    #expect(told(server.requests[place + 1]).contains("new"))
    #expect(eventually { server.requests.dropFirst(place + 2).contains { told($0).contains("n128") } })
    #expect(!server.requests.dropFirst(place + 2).contains { told($0).contains("n129") && !$0.isEnd })
  }

  private func told(_ request: HTTPReceiver.Request) -> [String] {
    let alerts = (try? JSONValue.parse(request.body))?.array ?? []
    return alerts.compactMap { $0["labels"]?["node"]?.string }
  }
}
