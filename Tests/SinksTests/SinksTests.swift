import FleetLogic
import Foundation
import Telemetry
import Testing

@testable import Sinks

@Suite struct AlertDispatchTests {
  @Test func everySinkGetsEveryAlert() throws {
    let sinks = [FickleSink("a"), FickleSink("b")]
    var dispatch = AlertDispatch(sinks)
    #expect(dispatch.deliver(try alert()).isEmpty)
    #expect(dispatch.deliver(try alert(.resolved)).isEmpty)
    for sink in sinks { #expect(sink.taken.map(\.state) == [.firing, .resolved]) }
    #expect(dispatch.states.map(\.delivered) == [2, 2])
  }

  @Test func aFailingSinkCostsTheOthersNothingAndIsSaidOncePerChange() throws {
    let bad = FickleSink("bad", SinkProblem("disk full"))
    let good = FickleSink("good")
    var dispatch = AlertDispatch([bad, good])
    var lines: [String] = []
    for _ in 0..<5 { lines += dispatch.deliver(try alert()).map(\.text) }
    bad.problem = SinkProblem("no such folder")
    for _ in 0..<5 { lines += dispatch.deliver(try alert()).map(\.text) }
    bad.problem = nil
    for _ in 0..<5 { lines += dispatch.deliver(try alert()).map(\.text) }
    #expect(
      lines == [
        "sink bad does not take alerts: disk full", "sink bad does not take alerts: no such folder",
        "sink bad takes alerts again; 10 in all were not delivered",
      ])
    #expect(good.taken.count == 15)
    #expect(dispatch.states.map(\.failed) == [10, 0])
    #expect(dispatch.states.map(\.delivered) == [5, 15])
  }

  @Test func reopensAll() {
    let sink = FickleSink("a")
    AlertDispatch([sink]).reopen()
    #expect(sink.reopened == 1)
  }
}

@Suite struct LineSinkTests {
  @Test func consoleWritesLinesForPeople() throws {
    let pipe = try ShortPipe()
    let sink = LineSink(name: "console", LineOutlet(descriptor: pipe.writing, label: "pipe")) {
      Array(PlainLine.of($0).utf8)
    }
    try sink.deliver(try alert())
    try sink.deliver(try alert(.resolved))
    #expect(
      pipe.takeAll() == """
        2026-11-30T00:53:20.000Z pallet-7 alert shake firing (warning): pallet-7 shook 2 times, peak 1.80 g
        2026-11-30T00:53:20.000Z pallet-7 alert shake resolved (after 10s): pallet-7 shook 2 times, peak 1.80 g

        """)
  }

  @Test func jsonAppendsToAFileAndReopensIt() throws {
    let file = temporaryPath()
    defer {
      unlink(file)
      unlink(file + ".1")
    }
    try Data("before\n".utf8).write(to: URL(filePath: file))
    let sink = try #require(makeSink(SinkSettings(name: "audit", kind: .json, file: file)))
    try sink.deliver(try alert())
    #expect(rename(file, file + ".1") == 0)
    try sink.deliver(try alert(.resolved))
    sink.reopen()
    try sink.deliver(try alert(.firing, node: "mast-2"))
    let old = try String(contentsOfFile: file + ".1", encoding: .utf8).split(separator: "\n")
    let new = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(old.count == 3)
    #expect(old.first == "before")
    #expect(new.count == 1)
    let read = try JSONValue.parse(Array(new[0].utf8))
    #expect(read["node"]?.string == "mast-2")
    #expect(read["kind"]?.string == "alert")
  }

  @Test func aFileThatCannotBeOpenedIsAProblemUntilItCan() throws {
    let folder = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let sink = try #require(makeSink(SinkSettings(name: "audit", kind: .json, file: folder + "/alerts")))
    #expect(throws: SinkProblem("\(folder)/alerts: No such file or directory")) { try sink.deliver(try alert()) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try sink.deliver(try alert())
    #expect(try String(contentsOfFile: folder + "/alerts", encoding: .utf8).split(separator: "\n").count == 1)
  }

  @Test func aFullDiskIsAProblem() throws {
    let sink = LineSink(name: "full", LineOutlet(file: "/dev/full")) { FleetJSON.alert($0) }
    #expect(throws: SinkProblem("/dev/full: No space left on device")) { try sink.deliver(try alert()) }
  }

  @Test func aReaderWhoDoesNotReadIsNeverWaitedFor() throws {
    let pipe = try ShortPipe()
    let sink = LineSink(name: "slow", LineOutlet(descriptor: pipe.writing, label: "pipe")) { FleetJSON.alert($0) }
    var refused = 0
    for _ in 0..<2000 {
      do { try sink.deliver(try alert()) } catch { refused += 1 }
    }
    #expect(refused > 0)
    // It begins to read: what waited comes first, and every line is whole.
    var text = pipe.takeAll()
    try sink.deliver(try alert(.resolved))
    text += pipe.takeAll()
    #expect(try !sink.flush(), "nothing waits any more")
    text += pipe.takeAll()
    for line in text.split(separator: "\n") { #expect((try? JSONValue.parse(Array(line.utf8))) != nil) }
    #expect(text.contains("\"state\":\"resolved\""))
    #expect(text.split(separator: "\n").count == 2000 - refused + 1)
  }

  /// What counts as told is written, however often the writing fails meanwhile.
  @Test func whatWaitsOutlastsAReaderThatGoesAway() throws {
    signal(SIGPIPE, SIG_IGN)
    let file = temporaryPath()
    #expect(mkfifo(file, 0o600) == 0)
    defer { unlink(file) }
    func reader() -> Int32 { open(file, O_RDONLY | O_NONBLOCK) }
    func takeAll(_ reader: Int32) -> String {
      var text: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(reader, &piece, piece.count), count > 0 { text += piece[..<count] }
      return String(decoding: text, as: UTF8.self)
    }
    let outlet = LineOutlet(file: file)
    let first = reader()
    var taken: [String] = []
    for number in 0..<20_000 {
      let line = "line \(number)"
      do throws(SinkProblem) {
        try outlet.write(Array(line.utf8))
        taken.append(line)
      } catch { break }
    }
    var text = takeAll(first)
    close(first)
    #expect(throws: SinkProblem("\(file): Broken pipe")) { try outlet.flush() }
    #expect(throws: SinkProblem("\(file): No such device or address")) { try outlet.write(Array("lost".utf8)) }
    let cut = text.lastIndex(of: "\n").map { text.index(after: $0) } ?? text.endIndex
    text.removeSubrange(cut...)
    let second = reader()
    defer { close(second) }
    while try outlet.flush() { text += takeAll(second) }
    text += takeAll(second)
    let isAllThere = text.split(separator: "\n").map(String.init) == taken
    #expect(isAllThere && taken.count > 100)
  }

  @Test func aLineThatFailedIsNotWrittenLater() throws {
    let folder = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outlet = LineOutlet(file: folder + "/alerts")
    #expect(throws: SinkProblem.self) { try outlet.write(Array("one".utf8)) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try outlet.write(Array("two".utf8))
    #expect(try String(contentsOfFile: folder + "/alerts", encoding: .utf8) == "two\n")
  }

  @Test func mqttIsServedByTheFleetsState() {
    #expect(makeSink(SinkSettings(name: "mqtt", kind: .mqtt)) == nil)
  }
}
