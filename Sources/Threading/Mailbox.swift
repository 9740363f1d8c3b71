/// A bounded queue from one thread to another, with a descriptor to poll.
public final class Mailbox<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isClosed = false
    var dropped = 0
  }

  private let capacity: Int
  private let state = Lock(State())
  private let wakeUp = WakeUp()

  /// - Parameter capacity: how many elements it holds at the most; > 0.
  public init(capacity: Int) {
    precondition(capacity > 0, "a mailbox holds at least one element")
    self.capacity = capacity
  }

  /// Readable while elements wait.
  public var descriptor: Int32 { wakeUp.descriptor }

  /// Elements that `offer` could not take, since the start.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Whether `close` was called.
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Adds an element, or counts it as dropped and answers false when the mailbox is full or closed.
  @discardableResult
  public func offer(_ element: Element) -> Bool {
    let taken = state.withLock { state in
      guard !state.isClosed, state.elements.count < capacity else {
        state.dropped += 1
        return false
      }
      state.elements.append(element)
      return true
    }
    if taken { wakeUp.signal() }
    return taken
  }

  /// Adds an element, waiting while the mailbox is full: back-pressure for a thread that may wait.
  /// Answers false, at once, when the mailbox is closed.
  @discardableResult
  public func send(_ element: Element) -> Bool {
    let taken = state.wait { state -> Bool? in
      if state.isClosed { return false }
      guard state.elements.count < capacity else { return nil }
      state.elements.append(element)
      return true
    }
    if taken { wakeUp.signal() }
    return taken
  }

  /// Takes everything that waits, in order.
  public func drain() -> [Element] {
    wakeUp.clear()
    let elements = state.withLock { state in
      let elements = state.elements
      state.elements = []
      return elements
    }
    state.signal()
    return elements
  }

  /// Refuses everything from now on, and lets waiting senders go.
  public func close() {
    state.withLock { $0.isClosed = true }
    state.signal()
  }
}
