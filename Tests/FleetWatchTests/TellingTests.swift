import FleetLogic
import Sinks
import Telemetry
import Testing

@testable import FleetWatch

/// Alerts and sinks that do not take them.
@Suite struct TellingTests {
  private final class FullSink: Sink {
    let name = "file"
    var isFull = false
    var taken: [String] = []

    func deliver(_ alert: Alert) throws(SinkProblem) {
      if isFull { throw SinkProblem("no room") }
      taken.append(alert.id)
    }
  }

  private func alert(_ id: String) throws -> Alert {
    let at = Moment(instant: Instant(seconds: 100), wall: WallTime(seconds: 1_796_000_000))
    return Alert(
      id: id, rule: "shake", kind: .shake, severity: .warning, node: try #require(NodeName("a")), state: .firing,
      previous: nil, at: at, since: at.wall, count: 1, value: 1.8, summary: "a shook", reason: "a shake began")
  }

  @Test func whatASinkRefusedIsNotToldUntilItHasTakenIt() throws {
    let (file, other) = (FullSink(), FullSink())
    file.isFull = true
    var telling = Telling(AlertDispatch([file, other]), isKept: true)
    var lines = telling.deliver(try alert("1")).map(\.text)
    lines += telling.deliver(try alert("2")).map(\.text)
    lines += telling.retry().map(\.text)
    #expect(lines == ["sink file does not take alerts: no room"])
    var told = telling.takeTold()
    #expect(told.isEmpty && telling.isWaiting)
    file.isFull = false
    #expect(telling.retry().map(\.text) == ["sink file takes alerts again"])
    told = telling.takeTold()
    #expect(told.map(\.id) == ["1", "2"])
    #expect(file.taken == ["1", "2"] && other.taken == ["1", "2"])
    #expect(!telling.isWaiting)
    _ = telling.retry()
    told = telling.takeTold()
    #expect(told.isEmpty && file.taken.count == 2, "once")
  }

  @Test func whatWasRefusedComesBeforeWhatIsNew() throws {
    let file = FullSink()
    file.isFull = true
    var telling = Telling(AlertDispatch([file]), isKept: true)
    _ = telling.deliver(try alert("1"))
    file.isFull = false
    _ = telling.deliver(try alert("2"))
    let told = telling.takeTold()
    #expect(told.map(\.id) == ["1", "2"] && file.taken == ["1", "2"])
  }

  @Test func onlySoManyWait() throws {
    let file = FullSink()
    file.isFull = true
    var telling = Telling(AlertDispatch([file]), isKept: true)
    for number in 0..<(Telling.capacity + 10) { _ = telling.deliver(try alert("\(number)")) }
    file.isFull = false
    _ = telling.retry()
    #expect(file.taken.count == Telling.capacity && file.taken.first == "10")
  }

  @Test func withoutAStoreNothingIsOfferedAgain() throws {
    let file = FullSink()
    file.isFull = true
    var telling = Telling(AlertDispatch([file]), isKept: false)
    _ = telling.deliver(try alert("1"))
    file.isFull = false
    _ = telling.retry()
    let told = telling.takeTold()
    #expect(told.isEmpty && file.taken.isEmpty && !telling.isWaiting)
  }
}
