import Testing

@testable import Store

@Suite("Ranges of numbers")
struct RangeSetTests {
  @Test("Ranges join when they touch and part when something is taken out")
  func joins() {
    var set = RangeSet()
    for number: UInt64 in [5, 1, 3, 2, 9] { set.insert(number) }
    #expect(set.ranges == [1...3, 5...5, 9...9])
    set.insert(4...8)
    #expect(set.ranges == [1...9])
    set.remove(3...4)
    #expect(set.ranges == [1...2, 5...9])
    #expect(set.contains(2) && !set.contains(3) && set.count == 7)
  }
}
