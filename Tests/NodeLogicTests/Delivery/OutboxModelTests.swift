import Foundation
import Testing

@testable import NodeLogic

/// Whatever disk, link, broker and fleet tool do: nothing ends before its duty, everything ends, bounds hold.
@Suite struct OutboxModelTests {
  /// More with JUDDER_MODEL_SEEDS.
  private static let seeds = 1...(ProcessInfo.processInfo.environment["JUDDER_MODEL_SEEDS"].flatMap { UInt64($0) } ?? 4)

  @Test(arguments: OutboxSettings.Delivery.allCases, seeds)
  func everyEventIsDeliveredOrToldGivenUp(delivery: OutboxSettings.Delivery, seed: UInt64) {
    var model = OutboxModel(seed: seed, delivery)
    model.run(steps: 500)
    #expect(model.problems == [])
    #expect(model.delivered > 0)
  }

  @Test(arguments: OutboxSettings.Delivery.allCases, seeds)
  func soItIsWithoutADisk(delivery: OutboxSettings.Delivery, seed: UInt64) {
    var model = OutboxModel(seed: seed, delivery, hasSpool: false)
    model.run(steps: 500)
    #expect(model.problems == [])
    #expect(model.delivered > 0)
  }
}
