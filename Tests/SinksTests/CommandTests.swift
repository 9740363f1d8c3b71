import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

@testable import Sinks

@Suite struct CommandTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func bench(_ script: String, limitS: Double = 5, tries: Int = 10) throws -> SinkBench {
    let command = CommandSettings(arguments: try place.script("run.sh", script), limitS: limitS)
    return try SinkBench(.command(command), place: place, tries: tries)
  }

  @Test func aProgramGetsTheAlertAndNothingElse() throws {
    let bench = try bench(
      "cat >> \(place.path("got")); env > \(place.path("env")); ls /proc/self/fd > \(place.path("fds"))")
    try bench.sink.deliver(try alert("x/1", summary: hostile))
    #expect(bench.waitForDelivery(1))
    #expect(bench.settled == ["x/1"])
    let read = try JSONValue.parse(Array(place.text("got").utf8.dropLast()))
    #expect(read["summary"]?.string == hostile)
    #expect(!place.text("got").unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{202e}" })
    let names = place.text("env").split(separator: "\n").map { $0.prefix { $0 != "=" } }
    #expect(
      Set(names).subtracting(["PWD", "_", "SHLVL", "OLDPWD"])
        == [
          "PATH", "LANG", "JUDDER_ALERT_RULE", "JUDDER_ALERT_NODE", "JUDDER_ALERT_STATE", "JUDDER_ALERT_SEVERITY",
          "JUDDER_ALERT_ID",
        ])
    #expect(place.text("env").contains("JUDDER_ALERT_ID=x/1/firing\n"))
    // 3 is the folder that ls reads.
    #expect(place.text("fds").split(separator: "\n") == ["0", "1", "2", "3"])
  }

  @Test func hostileTextIsNeverRun() throws {
    let folder = place.path("here")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let bench = try bench("cd \(folder); eval \"echo $JUDDER_ALERT_ID\" > out; cat > /dev/null")
    try bench.sink.deliver(try alert(hostile, summary: hostile))
    #expect(bench.waitForDelivery(1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out"])
  }

  @Test func seventyFiveIsTriedForEverAndAnythingElseIsGivenUp() throws {
    let script = "n=$(cat \(place.path("n")) 2>/dev/null || echo 0); echo $((n+1)) > \(place.path("n")); "
    let bench = try bench(
      script + "[ $n -lt 5 ] && exit 75; [ $n -lt 8 ] && { echo no $n >&2; exit 3; }; exit 0", tries: 3)
    try bench.sink.deliver(try alert("1"))
    try bench.sink.deliver(try alert("2"))
    #expect(bench.waitForDelivery(1))
    #expect(bench.state.givenUp == 1 && bench.state.failed == 8 && bench.state.queued == 0)
    #expect(bench.settled == ["1", "2"])
    #expect(bench.files("failed").count == 1 && bench.files("new").isEmpty)
    #expect(bench.lines.contains { $0.contains("ended with 3: no 5") })
    #expect(bench.lines.last == "sink slow delivers again")
  }

  @Test func oneThatHangsIsEndedWithAllItStarted() throws {
    let bench = try bench("sleep 600 & echo $! > \(place.path("pid")); wait", limitS: 0.3, tries: 1)
    try bench.sink.deliver(try alert("1"))
    #expect(
      eventually {
        bench.take()
        return bench.state.givenUp == 1
      })
    let child = try #require(Int32(place.text("pid").split(separator: "\n").first ?? ""))
    #expect(eventually(5) { kill(child, 0) != 0 || zombie(child) })
    #expect(bench.lines.contains { $0.contains("took longer than timeout_s") })
  }

  private func zombie(_ process: Int32) -> Bool {
    ((try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? "").contains(") Z")
  }

  @Test func whatAProgramSaysIsBoundedAndEscaped() throws {
    let bench = try bench("head -c 10000000 /dev/zero; printf '\\033[31mred\\n'; exit 1", tries: 1)
    try bench.sink.deliver(try alert("1"))
    #expect(
      eventually {
        bench.take()
        return bench.state.givenUp == 1
      })
    #expect(bench.lines.allSatisfy { $0.utf8.count < 3000 && !$0.utf8.contains(0x1B) && !$0.utf8.contains(0) })
  }

  @Test func aProgramThatIsNotThereIsNamed() throws {
    let bench = try SinkBench(.command(CommandSettings(arguments: ["/nowhere/x"])), place: place, tries: 1)
    try bench.sink.deliver(try alert("1"))
    #expect(
      eventually {
        bench.take()
        return bench.lines.contains("sink slow does not deliver: /nowhere/x: No such file or directory")
      })
  }

  /// A dead sink delays neither the others nor whoever delivers, and what it has not delivered is safe.
  @Test func oneThatHangsForEverDelaysNobody() throws {
    let hanging = try bench("sleep 600", limitS: 600)
    let got = place.path("got")
    let other = try Workplace()
    let quick = try SinkBench(
      .command(CommandSettings(arguments: try other.script("run.sh", "cat >> \(got)"))), place: other)
    let file = LineSink(name: "file", LineOutlet(file: place.path("lines"))) { FleetJSON.alert($0) }
    var dispatch = AlertDispatch([hanging.sink, quick.sink, file])
    let begin = Date()
    for number in 0..<20 { _ = dispatch.deliver(try alert("\(number)")) }
    #expect(Date().timeIntervalSince(begin) < 0.5)
    #expect(place.text("lines").split(separator: "\n").count == 20)
    #expect(quick.waitForDelivery(20))
    #expect(
      eventually {
        hanging.take()
        return hanging.settled.count == 20
      }, "they are on the disk while it hangs")
    #expect(hanging.state.delivered == 0 && hanging.files("new").count == 20)
    let end = Date()
    #expect(hanging.sink.stop(withinS: 5))
    #expect(Date().timeIntervalSince(end) < 3)
  }
}
