import Daemon
import Foundation
import Testing

@Suite struct LogTests {
  private let pipe: TestPipe

  init() throws { pipe = try TestPipe() }

  private func log(_ level: LogLevel = .info, environment: [String: String] = [:]) -> Log {
    Log(level: level, environment: environment, descriptor: pipe.writer)
  }

  /// JOURNAL_STREAM as systemd would set it for the pipe.
  private func journal() -> [String: String] {
    var status = stat()
    fstat(pipe.writer, &status)
    return ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
  }

  @Test func plainLinesBeginWithTimeAndLevel() throws {
    log().notice("connected")
    let line = try #require(pipe.lines().first)
    let pattern = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z notice: connected/
    #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
  }

  @Test func journalLinesBeginWithThePriority() {
    let log = log(.debug, environment: journal())
    log.debug("d")
    log.info("i")
    log.notice("n")
    log.warning("w")
    log.error("e")
    #expect(pipe.lines() == ["<7>d", "<6>i", "<5>n", "<4>w", "<3>e"])
  }

  @Test func journalOfAnotherStreamIsNotMeant() {
    let log = log(environment: ["JOURNAL_STREAM": "8:1"])
    log.info("x")
    #expect(pipe.lines().allSatisfy { $0.hasSuffix("Z info: x") })
  }

  @Test func linesBelowTheLevelAreNotWritten() {
    let log = log(.warning, environment: journal())
    log.debug("d")
    log.notice("n")
    log.warning("w")
    log.level = .debug
    log.debug("d")
    #expect(pipe.lines() == ["<4>w", "<7>d"])
  }

  @Test func linesStayLines() {
    log(environment: journal()).info("a\nb\u{1B}[2J\u{9B}")
    #expect(pipe.lines() == ["<6>a\\nb\\u{1b}[2J\\u{9b}"])
  }

  @Test func hugeLineIsCut() {
    log(environment: journal()).info(String(repeating: "x", count: 1_000_000))
    let line = pipe.lines()
    #expect(line.count == 1)
    #expect((line.first?.count ?? 0) <= 4096)
  }

  @Test func sameTextOfAKeyIsSaidOncePerChange() {
    let log = log(environment: journal())
    for _ in 0..<100 { log.change("link", .warning, "refused") }
    log.change("gpsd", .notice, "refused")
    for _ in 0..<100 { log.change("link", .notice, "connected") }
    log.change("link", .warning, "refused")
    log.forget("link")
    log.change("link", .warning, "refused")
    #expect(pipe.lines() == ["<4>refused", "<5>refused", "<5>connected", "<4>refused", "<4>refused"])
  }

  @Test func flappingKeyIsHeldBack() {
    let log = log(environment: journal())
    for number in 0..<1000 { log.change("link", .notice, "state \(number)") }
    #expect(pipe.lines() == (0..<5).map { "<5>state \($0)" })
  }

  @Test func floodIsHeldBackAndCounted() throws {
    let log = log(environment: journal())
    for number in 0..<1000 { log.info("\(number)") }
    #expect((200...230).contains(pipe.lines().count))
    usleep(120_000)
    log.info("later")
    let lines = pipe.lines()
    #expect(lines.last == "<6>later")
    let held = try #require(lines.first?.wholeMatch(of: /<4>(\d+) lines held back: too many at once/)?.1)
    #expect((770...800).contains(Int(held) ?? 0))
  }

  @Test func fullPipeDoesNotStopTheProgramAndLossIsSaid() throws {
    let log = log(environment: journal())
    pipe.fill()
    let start = ContinuousClock.now
    for _ in 0..<50 { log.warning("lost") }
    #expect(ContinuousClock.now - start < .seconds(2))
    #expect(pipe.read().allSatisfy { $0 == "x" })
    log.warning("found")
    #expect(pipe.lines() == ["<4>50 lines missing here: the log could not be written", "<4>found"])
  }

  @Test func closedReaderDoesNotKill() {
    let log = log()
    pipe.closeReader()
    for _ in 0..<10 { log.error("nobody hears") }
  }

  @Test func levelsAreOrdered() {
    #expect(LogLevel.allCases == LogLevel.allCases.sorted())
    #expect(LogLevel(rawValue: "notice") == .notice)
  }
}
