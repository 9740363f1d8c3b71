/// What is going to happen, in the order of simulated time; of two things at the same moment the one that was planned
/// first. A binary heap.
struct Agenda {
  /// Something that happens at a moment.
  struct Item {
    var atS: Double
    /// Rises with each item, so that nothing is left to chance.
    var number: Int
    /// For the trace.
    var what: String
    var action: () -> Void
  }

  private var heap: [Item] = []
  private var planned = 0

  /// When the next thing happens [s]; nil when nothing does.
  var nextS: Double? { heap.first?.atS }

  /// Plans something.
  mutating func add(atS: Double, _ what: String, _ action: @escaping () -> Void) {
    planned += 1
    heap.append(Item(atS: atS, number: planned, what: what, action: action))
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes out what happens next.
  mutating func pop() -> Item? {
    guard let last = heap.indices.last else { return nil }
    heap.swapAt(0, last)
    let item = heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      if least == parent { return item }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (heap[one].atS, heap[one].number) < (heap[other].atS, heap[other].number)
  }
}
