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
    /// These are too long for it.
    var refused: Set<String> = []
    var taken: [String] = []

    func deliver(_ alert: Alert) throws(SinkProblem) {
      if isFull || refused.contains(alert.id) { throw SinkProblem("no room") }
      taken.append(alert.id)
    }
  }

  private func alert(_ id: String) throws -> Alert {
    let at = Moment(instant: Instant(seconds: 100), wall: WallTime(seconds: 1_796_000_000))
    return Alert(
      id: id, rule: "shake", kind: .shake, severity: .warning, subject: .node(try #require(NodeName("a"))),
      state: .firing, previous: nil, at: at, since: at.wall, count: 1, value: 1.8, summary: "a shook",
      reason: "a shake began")
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

  /// Takes everything, and says later that it is safe.
  private final class SlowSink: Sink {
    let name = "slow"
    let descriptor: Int32? = -1
    var under: [Alert] = []
    var safe = 0

    func deliver(_ alert: Alert) throws(SinkProblem) { under.append(alert) }

    func takeSettled() -> (alerts: [Alert], entries: [LogEntry]) {
      defer {
        under.removeFirst(safe)
        safe = 0
      }
      return (Array(under.prefix(safe)), [])
    }
  }

  @Test func whatASinkCarriesIsToldOnceItIsSafe() throws {
    let (slow, file) = (SlowSink(), FullSink())
    var telling = Telling(AlertDispatch([slow, file]), isKept: true)
    for id in ["1", "2"] { _ = telling.deliver(try alert(id)) }
    _ = telling.settle()
    var told = telling.takeTold()
    #expect(told.isEmpty && !telling.isWaiting && file.taken == ["1", "2"])
    slow.safe = 1
    _ = telling.settle()
    told = telling.takeTold()
    #expect(told.map(\.id) == ["1"])
    slow.safe = 1
    _ = telling.settle()
    told = telling.takeTold()
    #expect(told.map(\.id) == ["2"])
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

  @Test func nothingOvertakesWhatASinkRefused() throws {
    let (file, other) = (FullSink(), FullSink())
    file.refused = ["1"]
    var telling = Telling(AlertDispatch([file, other]), isKept: true)
    for id in ["1", "2"] { _ = telling.deliver(try alert(id)) }
    #expect(file.taken.isEmpty && other.taken == ["1", "2"], "it would have had room for the second")
    file.refused = []
    _ = telling.retry()
    #expect(file.taken == ["1", "2"] && other.taken == ["1", "2"])
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
