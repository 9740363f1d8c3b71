/// A queue that is cheap at both ends: an array with a moving start.
struct Deque<Element>: Sequence {
  private var storage: [Element] = []
  private var head = 0

  init() {}

  init(_ elements: [Element]) {
    storage = elements
  }

  var count: Int { storage.count - head }
  var first: Element? { head < storage.count ? storage[head] : nil }

  mutating func append(_ element: Element) {
    storage.append(element)
  }

  mutating func popFirst() -> Element? {
    guard head < storage.count else { return nil }
    let element = storage[head]
    head += 1
    // Half of it is spent: close the gap, so that the storage stays within twice of what it holds.
    if head > 32, head * 2 > storage.count {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Lets go of what is of no use any more.
  mutating func keep(where isWanted: (Element) -> Bool) {
    self = Deque(storage[head...].filter(isWanted))
  }

  func makeIterator() -> ArraySlice<Element>.Iterator { storage[head...].makeIterator() }
}

extension Deque: Sendable where Element: Sendable {}

extension Deque where Element: Comparable {
  /// Puts an element where it belongs in a queue that is in order.
  mutating func insert(_ element: Element) {
    let place = storage[head...].firstIndex { $0 > element } ?? storage.endIndex
    storage.insert(element, at: place)
  }
}
