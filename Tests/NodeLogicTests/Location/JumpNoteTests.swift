import NodeLogic
import Telemetry
import Testing

/// What the log says of jumps: each thing once, however many fixes there are.
@Suite struct JumpNoteTests {
  private struct Receiver {
    var node: Node
    var notes: [String] = []

    init() {
      var settings = NodeSettings()
      settings.location = LocationTracker.Settings()
      let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
      node = Node(boot: BootID(7), settings, clock: clock)
      _ = node.handle(.gpsd(.link(.up(release: nil))), at: .start)
    }

    mutating func fix(_ latitude: Double, at second: Int) {
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude, report.ephM) = (latitude, 8, 5)
      report.time = WallTime(seconds: 1_800_000_000 + Double(second))
      let now = Instant(seconds: Double(second))
      let effects = node.handle(.gpsd(.report(.position(report))), at: now) + node.handle(.tick, at: now + 0.5)
      for case .log(let note) in effects where note.topic == "jump" { notes.append(note.text) }
    }
  }

  @Test func aJumpIsToldWhenItIsRejectedAndWhenItIsTaken() throws {
    var receiver = Receiver()
    for second in 0..<10 { receiver.fix(47, at: second) }
    #expect(receiver.notes == [])
    receiver.fix(48, at: 10)
    let rejected = try #require(receiver.notes.first)
    #expect(rejected.contains("no vehicle can have got to"))
    for second in 11..<20 { receiver.fix(48, at: second) }
    #expect(receiver.notes.filter { $0 != rejected }.count == 1)
    #expect(receiver.notes.last?.contains("it is there now") == true)
  }
}
