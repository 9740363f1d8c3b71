import Rig
import Testing

@testable import NodeLogic

@Suite struct SequenceRunsTests {
  @Test(arguments: 1...UInt64(20)) func itIsASetOfNumbers(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var runs = SequenceRuns()
    var numbers: Set<UInt64> = []
    for _ in 0..<400 {
      let low = UInt64.random(in: 0..<200, using: &random)
      let run = low...(low + UInt64.random(in: 0..<8, using: &random))
      if Bool.random(using: &random) {
        runs.insert(run)
        numbers.formUnion(run)
      } else {
        runs.remove(run)
        numbers.subtract(run)
      }
      let all = runs.runs.flatMap { Array($0) }
      #expect(Set(all) == numbers)
      #expect(runs.count == numbers.count)
      let isApart = zip(runs.runs, runs.runs.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound }
      #expect(isApart)
      #expect(runs.contains(low) == numbers.contains(low))
      let shared = runs.intersection(50...150).runs.flatMap { Array($0) }
      #expect(Set(shared) == numbers.filter { $0 >= 50 && $0 <= 150 })
    }
  }

  @Test func theLargestNumbersAreNumbersToo() {
    let top = UInt64.max
    var runs = SequenceRuns([(top - 2)...top])
    runs.insert(5)
    runs.insert(top - 4)
    let apart: [ClosedRange<UInt64>] = [5...5, (top - 4)...(top - 4), (top - 2)...top]
    #expect(runs.runs == apart)
    runs.insert(top - 3)
    let joined: [ClosedRange<UInt64>] = [5...5, (top - 4)...top]
    #expect(runs.runs == joined)
    runs.remove((top - 1)...top)
    let cut: [ClosedRange<UInt64>] = [5...5, (top - 4)...(top - 2)]
    #expect(runs.runs == cut)
    #expect(runs.count == 4)
  }
}
