import Testing

@testable import MQTT

@Suite("Publications in flight")
struct InFlightTests {
  @Test("are settled by their message ids, in any order")
  func order() {
    var inFlight = InFlight()
    for id in 1...3 {
      inFlight.begin(token: UInt64(id) * 10, qos: .atLeastOnce, atS: Double(id))
      inFlight.handedOver(as: Int32(id))
    }
    #expect(inFlight.unacknowledged == 3)
    #expect(inFlight.settle(2)?.token == 20)
    #expect(inFlight.settle(2) == nil)
    #expect(inFlight.tokens == [10, 30])
    #expect(inFlight.oldestS == 1)
    #expect(inFlight.settle(1)?.token == 10)
    #expect(inFlight.oldestS == 3)
    #expect(inFlight.unacknowledged == 1)
  }

  @Test("with QoS 0 may be settled before their message id is known")
  func early() {
    var inFlight = InFlight()
    inFlight.begin(token: 1, qos: .atLeastOnce, atS: 0)
    inFlight.handedOver(as: 7)
    inFlight.begin(token: 2, qos: .atMostOnce, atS: 0)
    #expect(inFlight.settle(8)?.token == 2)
    inFlight.handedOver(as: 8)
    #expect(inFlight.settle(8) == nil)
    #expect(inFlight.tokens == [1])
  }

  @Test("with QoS 1 are not mistaken for one that is just being handed over")
  func stranger() {
    var inFlight = InFlight()
    inFlight.begin(token: 1, qos: .atLeastOnce, atS: 0)
    #expect(inFlight.settle(99) == nil)
    #expect(inFlight.unacknowledged == 1)
  }

  @Test("leave nothing behind when they are not taken")
  func withdrawal() {
    var inFlight = InFlight()
    inFlight.begin(token: 1, qos: .atLeastOnce, atS: 0)
    inFlight.withdraw()
    #expect(inFlight.isEmpty)
    #expect(inFlight.unacknowledged == 0)
    #expect(inFlight.oldestS == nil)
  }
}
