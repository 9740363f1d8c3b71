import Foundation
import Testing
import Threading

@Suite struct ThreadingTests {
  /// Whether a descriptor is readable at this moment.
  private func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }

  @Test func mailboxHoldsNoMoreThanItsCapacityAndCountsTheRest() {
    let mailbox = Mailbox<Int>(capacity: 3)
    #expect((0..<5).map { mailbox.offer($0) } == [true, true, true, false, false])
    #expect(mailbox.dropped == 2)
    #expect(mailbox.drain() == [0, 1, 2])
    #expect(mailbox.offer(5))
    #expect(mailbox.drain() == [5])
    #expect(mailbox.drain() == [])
    #expect(mailbox.dropped == 2)
  }

  @Test func descriptorIsReadableWhileElementsWait() {
    let mailbox = Mailbox<Int>(capacity: 3)
    #expect(!isReadable(mailbox.descriptor))
    mailbox.offer(1)
    #expect(isReadable(mailbox.descriptor))
    #expect(isReadable(mailbox.descriptor))
    _ = mailbox.drain()
    #expect(!isReadable(mailbox.descriptor))
  }

  @Test func senderWaitsForRoom() {
    let mailbox = Mailbox<Int>(capacity: 1)
    mailbox.offer(0)
    let sent = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      if mailbox.send(1) { sent.signal() }
    }
    #expect(sent.wait(timeout: .now() + 0.05) == .timedOut)
    #expect(mailbox.drain() == [0])
    #expect(sent.wait(timeout: .now() + 5) == .success)
    #expect(mailbox.drain() == [1])
    #expect(mailbox.dropped == 0)
  }

  @Test func closingLetsWaitingSendersGo() {
    let mailbox = Mailbox<Int>(capacity: 1)
    mailbox.offer(0)
    let refused = DispatchSemaphore(value: 0)
    for number in 1...3 {
      Thread.detachNewThread {
        if !mailbox.send(number) { refused.signal() }
      }
    }
    usleep(20_000)
    mailbox.close()
    for _ in 0..<3 { #expect(refused.wait(timeout: .now() + 5) == .success) }
    #expect(!mailbox.offer(9))
    #expect(!mailbox.send(9))
    #expect(mailbox.isClosed)
    #expect(mailbox.drain() == [0])
  }

  @Test func manySendersLoseNothingAndKeepTheirOrder() {
    let mailbox = Mailbox<[Int]>(capacity: 7)
    let senders = 8
    let each = 2000
    for sender in 0..<senders {
      Thread.detachNewThread { for number in 0..<each { mailbox.send([sender, number]) } }
    }
    var next = [Int](repeating: 0, count: senders)
    let end = ContinuousClock.now + .seconds(60)
    while next.reduce(0, +) < senders * each, ContinuousClock.now < end {
      var entry = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 1000)
      let elements = mailbox.drain()
      #expect(elements.count <= 7)
      for element in elements {
        #expect(element[1] == next[element[0]])
        next[element[0]] = element[1] + 1
      }
    }
    #expect(next == [Int](repeating: each, count: senders))
    #expect(mailbox.dropped == 0)
  }

  @Test func lockLetsOneThreadInAtATime() {
    let count = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<5000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 40_000)
  }

  @Test func lockIsFreeAgainAfterAnError() {
    struct Failure: Error {}
    let value = Lock(1)
    #expect(throws: Failure.self) {
      try value.withLock { value in
        value = 2
        throw Failure()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }

  @Test func waitingThreadSeesWhatWasSignalled() {
    let value = Lock<Int?>(nil)
    let answer = Lock<Int?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let seen = value.wait { $0 }
      answer.withLock { $0 = seen }
      done.signal()
    }
    value.signal()
    #expect(done.wait(timeout: .now() + 0.02) == .timedOut)
    value.withLock { $0 = 7 }
    value.signal()
    #expect(done.wait(timeout: .now() + 5) == .success)
    #expect(answer.withLock { $0 } == 7)
  }

  @Test func wakeUpGathersSignals() {
    let wakeUp = WakeUp()
    #expect(!isReadable(wakeUp.descriptor))
    for _ in 0..<3 { wakeUp.signal() }
    #expect(isReadable(wakeUp.descriptor))
    wakeUp.clear()
    #expect(!isReadable(wakeUp.descriptor))
    wakeUp.clear()
    wakeUp.signal()
    #expect(isReadable(wakeUp.descriptor))
  }
}
