/// What is due when: the next due is at hand, and what is due is found without a look at the rest. Each key has one due
/// at the most.
///
/// A binary heap that knows the place of each key (Cormen et al., Introduction to Algorithms, chapter 6): a due is set,
/// moved or taken back in a number of steps that grows with the logarithm of how many there are.
struct DueQueue<Key: Hashable & Sendable, Due: Comparable & Sendable>: Sendable {
  private struct Entry: Sendable {
    var due: Due
    var key: Key
  }

  private var heap: [Entry] = []
  private var places: [Key: Int] = [:]

  var isEmpty: Bool { heap.isEmpty }
  var count: Int { heap.count }

  /// The earliest due; nil when there is none.
  var earliest: Due? { heap.first?.due }

  /// When a key is due; nil: never.
  func due(_ key: Key) -> Due? { places[key].map { heap[$0].due } }

  /// Says when a key is due; nil: never.
  mutating func set(_ key: Key, _ due: Due?) {
    guard let due else { return remove(key) }
    if let place = places[key] {
      let before = heap[place].due
      guard before != due else { return }
      heap[place].due = due
      if due < before { rise(place) } else { sink(place) }
    } else {
      places[key] = heap.count
      heap.append(Entry(due: due, key: key))
      rise(heap.count - 1)
    }
  }

  /// The keys that are due at `limit` or before, in no order.
  func keys(dueBy limit: Due) -> [Key] {
    guard let first = heap.first, first.due <= limit else { return [] }
    var keys: [Key] = []
    var places = [0]
    while let place = places.popLast() {
      guard heap[place].due <= limit else { continue }
      keys.append(heap[place].key)
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count { places.append(child) }
    }
    return keys
  }

  /// Takes the keys out that are due at `limit` or before, the earliest first.
  mutating func takeKeys(dueBy limit: Due) -> [Key] {
    var keys: [Key] = []
    while let first = heap.first, first.due <= limit {
      keys.append(first.key)
      remove(first.key)
    }
    return keys
  }

  private mutating func remove(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    let last = heap.removeLast()
    guard place < heap.count else { return }
    let before = heap[place].due
    put(last, place)
    if last.due < before { rise(place) } else { sink(place) }
  }

  private mutating func put(_ entry: Entry, _ place: Int) {
    heap[place] = entry
    places[entry.key] = place
  }

  private mutating func rise(_ start: Int) {
    let entry = heap[start]
    var place = start
    while place > 0, heap[(place - 1) / 2].due > entry.due {
      put(heap[(place - 1) / 2], place)
      place = (place - 1) / 2
    }
    if place != start { put(entry, place) }
  }

  private mutating func sink(_ start: Int) {
    let entry = heap[start]
    var place = start
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].due < heap[child].due { child += 1 }
      guard heap[child].due < entry.due else { break }
      put(heap[child], place)
      place = child
    }
    if place != start { put(entry, place) }
  }
}
