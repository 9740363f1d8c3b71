import Daemon
import Foundation
import Telemetry
import Testing
import Threading

@Suite struct EventLoopTests {
  private let loop = EventLoop()

  /// Turns the loop until `condition` holds; false when it does not within two seconds.
  private func turn(until condition: () -> Bool) throws -> Bool {
    let end = loop.clock.now() + 2
    while !condition() {
      if loop.clock.now() > end { return false }
      try loop.turn(timeout: 0.05)
    }
    return true
  }

  @Test func readableDescriptorIsReported() throws {
    let pipe = try TestPipe()
    var heard = ""
    loop.watch(pipe.reader) { readiness in
      #expect(readiness == .readable)
      heard += pipe.read()
    }
    try loop.turn(timeout: 0)
    #expect(heard == "")
    pipe.write("a")
    try loop.turn(timeout: 1)
    pipe.write("b")
    try loop.turn(timeout: 1)
    #expect(heard == "ab")
    loop.unwatch(pipe.reader)
    pipe.write("c")
    try loop.turn(timeout: 0.01)
    #expect(heard == "ab")
  }

  @Test func writableIsOnlyReportedWhenAskedFor() throws {
    let pipe = try TestPipe()
    var seen: [Readiness] = []
    loop.watch(pipe.writer, for: []) { seen.append($0) }
    try loop.turn(timeout: 0.01)
    #expect(seen.isEmpty)
    loop.change(pipe.writer, to: .writable)
    try loop.turn(timeout: 1)
    #expect(seen == [.writable])
  }

  @Test func closedPipeIsReportedOnceAndThenLeftAlone() throws {
    let pipe = try TestPipe()
    var seen: [Readiness] = []
    pipe.write("last words")
    loop.watch(pipe.reader) { readiness in
      seen.append(readiness)
      _ = pipe.read()
    }
    pipe.closeWriter()
    for _ in 0..<5 { try loop.turn(timeout: 0.01) }
    #expect(seen == [[.readable, .closed], .closed])
  }

  @Test func descriptorThatIsNoneIsReportedOnce() throws {
    var seen: [Readiness] = []
    loop.watch(999_999) { seen.append($0) }
    for _ in 0..<3 { try loop.turn(timeout: 0.01) }
    #expect(seen == [.closed])
  }

  @Test func timersFireOnceInTimeAndNeverEarly() throws {
    let start = loop.clock.now()
    var fired: [Instant] = []
    let timer = loop.timer { fired.append($0) }
    #expect(timer.deadline == nil)
    timer.deadline = start + 0.03
    #expect(try turn { !fired.isEmpty })
    #expect(timer.deadline == nil)
    try loop.turn(timeout: 0.02)
    #expect(fired.count == 1)
    #expect(fired[0] - start >= 0.03)
    #expect(fired[0] - start < 1)
  }

  @Test func timerMaySetItselfAgain() throws {
    var count = 0
    var timer: EventLoop.Timer?
    timer = loop.timer { now in
      count += 1
      if count < 5 { timer?.deadline = now + 0.001 }
    }
    timer?.deadline = .start
    #expect(try turn { count == 5 })
    try loop.turn(timeout: 0.01)
    #expect(count == 5)
    timer = nil
  }

  @Test func removedAndClearedTimersStayQuiet() throws {
    var fired = 0
    let first = loop.timer { _ in fired += 1 }
    let second = loop.timer { _ in fired += 1 }
    first.deadline = loop.clock.now() + 0.005
    second.deadline = loop.clock.now() + 0.005
    loop.remove(first)
    second.deadline = nil
    try loop.turn(timeout: 0.03)
    #expect(fired == 0)
  }

  @Test func waitingCostsNoWakeUps() throws {
    let pipe = try TestPipe()
    loop.watch(pipe.reader) { _ in }
    let timer = loop.timer { _ in loop.stop() }
    timer.deadline = loop.clock.now() + 0.1
    try loop.run()
    #expect(loop.wakeUps <= 2)
  }

  @Test func handlerMayForgetAnotherThatIsReadyToo() throws {
    let pipes = [try TestPipe(), try TestPipe()]
    var called = 0
    for pipe in pipes {
      pipe.write("x")
      loop.watch(pipe.reader) { _ in
        called += 1
        for pipe in pipes { loop.unwatch(pipe.reader) }
      }
    }
    try loop.turn(timeout: 1)
    try loop.turn(timeout: 0.01)
    #expect(called == 1)
  }

  @Test func handlerMayReplaceItselfAndAddOthers() throws {
    let first = try TestPipe()
    let second = try TestPipe()
    var seen: [String] = []
    first.write("1")
    second.write("2")
    loop.watch(first.reader) { _ in
      seen.append("old")
      loop.watch(first.reader) { _ in seen.append("new" + first.read()) }
      loop.watch(second.reader) { _ in seen.append(second.read()) }
    }
    #expect(try turn { seen.count == 3 })
    #expect(seen == ["old", "2", "new1"] || seen == ["old", "new1", "2"])
  }

  @Test func manyDescriptorsKeepTheirHandlers() throws {
    let pipes = try (0..<50).map { _ in try TestPipe() }
    var heard = Set<Int>()
    for (index, pipe) in pipes.enumerated() {
      loop.watch(pipe.reader) { _ in if pipe.read() == "\(index)" { heard.insert(index) } }
    }
    for index in stride(from: 0, to: 50, by: 2) { loop.unwatch(pipes[index].reader) }
    for (index, pipe) in pipes.enumerated() { pipe.write("\(index)") }
    #expect(try turn { heard.count == 25 })
    #expect(heard == Set((0..<50).filter { $0 % 2 == 1 }))
  }

  @Test func otherThreadsReachItThroughAMailbox() throws {
    let mailbox = Mailbox<Int>(capacity: 10)
    var received: [Int] = []
    loop.watch(mailbox.descriptor) { _ in
      received += mailbox.drain()
      if received.count == 1000 { loop.stop() }
    }
    let limit = loop.timer { _ in loop.stop() }
    limit.deadline = loop.clock.now() + 10
    Thread.detachNewThread { for number in 0..<1000 { mailbox.send(number) } }
    try loop.run()
    #expect(received == Array(0..<1000))
  }
}
