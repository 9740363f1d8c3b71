import Foundation
import Testing

@testable import Simulate

/// The whole of delivery from seeds: node, spool, network, broker and fleet tool, with everything going wrong.
///
/// peer-complaints: acknowledged records lost by a kill (Fluent Bit #10952), a full disk that is never recovered from
/// (Prometheus #13182), a corrupt buffer that loops for ever (Vector #17644).
@Suite struct SimulationTests {
  /// `JUDDER_SEEDS` for more of them.
  static let seeds = ProcessInfo.processInfo.environment["JUDDER_SEEDS"].flatMap { UInt64($0) } ?? 200

  @Test(arguments: 0..<8) func nothingThatGoesWrongBreaksAPromise(part: Int) {
    for seed in 1...Self.seeds where seed % 8 == UInt64(part) {
      let outcome = Run.play(seed: seed, isShort: true)
      #expect(outcome.violation == nil, "seed \(seed); again with: make simulate SEED=\(seed) SHORT=1 TRACE=1")
    }
  }

  @Test func theSameSeedGivesTheSameRun() {
    for seed in [3, 17] as [UInt64] {
      let (one, other) = (Run.play(seed: seed, isShort: true), Run.play(seed: seed, isShort: true))
      #expect(one.steps == other.steps)
      #expect(one.trace == other.trace)
      #expect(one.faults == other.faults)
    }
  }

  @Test func anotherSeedGivesAnotherRun() {
    #expect(Run.play(seed: 3, isShort: true).trace != Run.play(seed: 4, isShort: true).trace)
  }

  /// A rule that is broken on purpose is noticed within some seeds; else the runs show nothing.
  @Test(arguments: Mutation.allCases.filter { $0.patience <= SimulationTests.seeds / 10 })
  func aBrokenRuleIsNoticed(mutation: Mutation) {
    let found = (1...mutation.patience).first { Run.play(seed: $0, isShort: true, mutation).violation != nil }
    #expect(found != nil)
  }
}

extension Mutation {
  /// How many seeds it may take; some need a rare crossing of two faults, and are left to `JUDDER_SEEDS`.
  fileprivate var patience: UInt64 {
    switch self {
    case .acknowledgesBeforeCommit, .releasesAtBroker, .syncsNothing, .syncsNoFolder, .storesTwice: 5
    case .hidesDisconnection: 20
    case .tellsBeforeCommit, .tellsNoEviction: 300
    case .unlinksWithoutState: 3000
    }
  }
}
