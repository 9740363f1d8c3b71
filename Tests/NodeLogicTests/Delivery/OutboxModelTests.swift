import Testing

@testable import NodeLogic

/// Whatever disk, link, broker and fleet tool do: nothing ends before its duty, everything ends, bounds hold.
@Suite struct OutboxModelTests {
  @Test(arguments: OutboxSettings.Delivery.allCases, 1...UInt64(12))
  func everyEventIsDeliveredOrToldGivenUp(delivery: OutboxSettings.Delivery, seed: UInt64) {
    var model = OutboxModel(seed: seed, delivery)
    model.run(steps: 600)
    #expect(model.problems == [])
    #expect(model.delivered > 0)
  }

  @Test(arguments: OutboxSettings.Delivery.allCases, 1...UInt64(6))
  func soItIsWithoutADisk(delivery: OutboxSettings.Delivery, seed: UInt64) {
    var model = OutboxModel(seed: seed, delivery, hasSpool: false)
    model.run(steps: 600)
    #expect(model.problems == [])
    #expect(model.delivered > 0)
  }
}
