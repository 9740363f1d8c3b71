import MQTT
import Telemetry
import Testing

@testable import FleetWatch

@Suite struct SubscriptionTests {
  private let refusal = Refusal(.denied, code: 0x87, "not authorized")

  @Test func aRefusalOfTheNodesCutsTheToolOff() {
    let event = SessionEvent.subscribed(filter: "judder/+/+", .failure(refusal))
    #expect(event.cutsOff(from: PrefixPattern(.standard)) == "no subscription to judder/+/+: not authorized")
  }

  @Test func aRefusalOfAnythingElseDoesNot() {
    let alerts = SessionEvent.subscribed(filter: "judder-fleet/alerts/+/+", .failure(refusal))
    #expect(alerts.cutsOff(from: PrefixPattern(.standard)) == nil)
    let granted = SessionEvent.subscribed(filter: "judder/+/+", .success(.atLeastOnce))
    #expect(granted.cutsOff(from: PrefixPattern(.standard)) == nil)
  }
}
