internal import MQTT
internal import Telemetry

extension SessionEvent {
  /// Why the tool hears nothing of the nodes though there is a connection: the broker refused that subscription, and
  /// their silence means nothing. Nil for anything else; without its own alerts of earlier the tool still works.
  func cutsOff(from prefix: PrefixPattern) -> String? {
    guard case .subscribed(let filter, .failure(let refusal)) = self, filter == prefix.subscription else { return nil }
    return "no subscription to \(filter): \(refusal)"
  }
}
