import FleetLogic
import MQTT
import Testing

@testable import FleetWatch

@Suite struct OutboxTests {
  private func publication(_ number: Int) -> FleetLogic.Publication {
    FleetLogic.Publication(topic: "t/\(number)", payload: [UInt8(number % 256)], retained: true)
  }

  @Test func keepsTheOrderAndWaitsForRoom() {
    var outbox = Outbox()
    for number in 0..<10 { outbox.append(publication(number)) }
    var room = 4
    var sent: [String] = []
    let publish = { (publication: MQTT.Publication) -> Acceptance in
      guard room > 0 else { return .full }
      room -= 1
      sent.append(publication.topic)
      return .accepted
    }
    outbox.send(publish)
    #expect(sent == (0..<4).map { "t/\($0)" })
    #expect(!outbox.isEmpty)
    room = 100
    outbox.append(publication(10))
    outbox.send(publish)
    #expect(sent == (0...10).map { "t/\($0)" })
    #expect(outbox.isEmpty)
  }

  @Test func isBoundedAndCountsWhatItDrops() {
    var outbox = Outbox()
    for number in 0..<Outbox.capacity + 7 { outbox.append(publication(number)) }
    #expect(outbox.dropped == 7)
    outbox.removeAll()
    #expect(outbox.isEmpty)
  }

  @Test func acknowledgementsAreKnownByTheirTokenWhenTheBrokerRefusesThem() {
    var outbox = Outbox()
    for (topic, isRetained) in [("judder/pump-7/ack", false), ("judder-fleet/alerts/shake/ack", true)] {
      outbox.append(FleetLogic.Publication(topic: topic, payload: [1], retained: isRetained))
    }
    var tokens: [UInt64] = []
    outbox.send {
      tokens.append($0.token)
      return .accepted
    }
    #expect(tokens == [Outbox.acknowledgement, 1])
  }
}
