import Foundation
import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("Publishing and receiving")
  struct Publishing {
    @Test("QoS 0 and QoS 1 reach a subscriber", arguments: [BrokerSettings.Version.v5, .v311])
    func bothQoS(version: BrokerSettings.Version) throws {
      let rig = try RunningBroker()
      let reader = try rig.broker.subscribe("judder/#", count: 2)
      var settings = localSettings(rig.broker.port)
      settings.version = version
      let watch = try SessionWatch(settings)
      #expect(try watch.connected().version == (version == .v5 ? .v5 : .v311))
      #expect(watch.publish("judder/a", "zero", qos: .atMostOnce, token: 7) == .accepted)
      #expect(try watch.delivery(of: 7) == .written)
      #expect(watch.publish("judder/a", "one", token: 8) == .accepted)
      #expect(try watch.delivery(of: 8) == .acknowledged)
      #expect(reader.wait(seconds: 5) == 0)
      #expect(reader.outputText() == "judder/a zero\njudder/a one\n")
    }

    @Test("MQTT 5 tells of a message nobody subscribes to")
    func unheard() throws {
      let rig = try RunningBroker()
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      _ = watch.publish("judder/a", "one", token: 3)
      #expect(try watch.delivery(of: 3) == .withoutSubscribers)
      #expect(watch.session.statistics.withoutSubscribers == 1)
    }

    @Test("what comes has topic, payload, QoS, retained flag and properties")
    func receiving() throws {
      let rig = try RunningBroker()
      try rig.broker.publish("judder/old", "kept", isRetained: true)
      var settings = localSettings(rig.broker.port)
      settings.subscriptions = [.init("judder/#"), .init("other", .atMostOnce)]
      let watch = try SessionWatch(settings)
      try watch.subscribed()
      let kept = try watch.message()
      #expect(kept == Message(topic: "judder/old", payload: Array("kept".utf8), qos: .atLeastOnce, isRetained: true))
      try rig.broker.publish(
        "judder/new", "",
        arguments: ["-V", "5", "-D", "publish", "content-type", "application/json"]
          + ["-D", "publish", "message-expiry-interval", "100"])
      let new = try watch.message()
      #expect(new.payload.isEmpty && !new.isRetained)
      #expect(new.properties.contentType == "application/json")
      #expect(new.properties.expiryS.map { (99...100).contains($0) } == true)
    }

    @Test("content type and expiry go with a message on MQTT 5")
    func properties() throws {
      let rig = try RunningBroker()
      let reader = try rig.broker.subscribe("judder/a", count: 1, arguments: ["-V", "5", "-F", "%C %E %p"])
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      _ = watch.session.publish(
        Publication(
          topic: "judder/a", payload: Array("x".utf8), token: 1,
          properties: MessageProperties(contentType: "text/plain", expiryS: 50)))
      #expect(reader.wait(seconds: 5) == 0)
      #expect(reader.outputText().hasPrefix("text/plain 50 x") || reader.outputText().hasPrefix("text/plain 49 x"))
    }

    @Test("a denied publication is refused for good on MQTT 5, and the connection stays")
    func denied() throws {
      let rig = try RunningBroker { options, _ in options.accessList = "topic readwrite allowed/#\n" }
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      _ = watch.publish("forbidden/a", "x", token: 5)
      let refusal = try watch.refusal(of: 5)
      #expect(refusal.code == 0x87 && refusal.isPermanent)
      _ = watch.publish("allowed/a", "x", token: 6)
      #expect(try watch.delivery(of: 6) == .withoutSubscribers)
      #expect(watch.session.statistics.refused == 1)
    }

    @Test("topics that cannot be published to are refused, and the connection stays", arguments: ["", "a/#", "a\0b"])
    func topics(topic: String) throws {
      let rig = try RunningBroker()
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      _ = watch.publish(topic, "x", token: 5)
      let refusal = try watch.refusal(of: 5)
      #expect(refusal.code == nil && refusal.isPermanent)
      _ = watch.publish("a", "x", token: 6)
      #expect(try watch.delivery(of: 6) == .withoutSubscribers)
    }

    @Test("a message larger than the broker takes is refused before it is sent")
    func tooLarge() throws {
      let rig = try RunningBroker { options, _ in options.lines = ["max_packet_size 1000"] }
      let watch = try SessionWatch(localSettings(rig.broker.port))
      #expect(try watch.connected().maximumPacketBytes == 1000)
      _ = watch.publish("a", String(repeating: "x", count: 2000), token: 5)
      #expect(try watch.refusal(of: 5).isPermanent)
      #expect(watch.session.statistics.isConnected)
    }

    @Test("without a connection nothing is taken over")
    func offline() throws {
      let port = try Workplace.freePort()
      let watch = try SessionWatch(localSettings(port))
      try watch.problem()
      #expect(watch.publish("a", "x") == .offline)
      let workplace = try Workplace("mqtt")
      let broker = try Broker(in: workplace, port: port)
      try broker.start()
      let reader = try broker.subscribe("#", count: 1)
      try watch.connected()
      _ = watch.publish("a", "later", token: 2)
      #expect(try watch.delivery(of: 2) == .acknowledged)
      #expect(reader.wait(seconds: 5) == 0)
      #expect(reader.outputText() == "a later\n")
      #expect(watch.session.statistics.refusedOffline == 1)
    }

    @Test("a full queue says so, and what it took arrives in order")
    func queue() throws {
      let rig = try RunningBroker()
      var settings = localSettings(rig.broker.port)
      settings.queueCapacity = 10
      settings.window = 3
      settings.subscriptions = [.init("a")]
      let watch = try SessionWatch(settings)
      try watch.connected()
      try watch.subscribed()
      rig.broker.freeze()
      let answers = (0..<40).map { watch.publish("a", "\($0)", token: UInt64($0)) }
      let taken = answers.indices.filter { answers[$0] == .accepted }
      #expect((10...13).contains(taken.count))
      #expect(!answers.contains(.offline))
      rig.broker.thaw()
      #expect(try taken.map { _ in try watch.message().text } == taken.map { "\($0)" })
      #expect(watch.session.statistics.refusedFull == 40 - taken.count)
    }

    @Test("a slow reader slows the broker down and loses none of 5000 messages")
    func backPressure() throws {
      let rig = try RunningBroker { options, _ in options.lines = ["max_queued_messages 0"] }
      var settings = localSettings(rig.broker.port, id: "reader")
      settings.subscriptions = [.init("flood")]
      let reader = try SessionWatch(settings, capacity: 16)
      try reader.subscribed()
      let writer = try SessionWatch(localSettings(rig.broker.port, id: "writer"), capacity: 10_000)
      try writer.connected()
      for number in 0..<5000 {
        while writer.publish("flood", "\(number)", token: UInt64(number)) != .accepted { usleep(200) }
      }
      #expect(try writer.delivery(of: 4999) == .acknowledged)
      usleep(100_000)
      let held = reader.session.statistics.messages
      #expect(held <= 17)
      for number in 0..<5000 { #expect(try reader.message().text == "\(number)") }
      #expect(reader.session.statistics.messages == 5000)
      #expect(reader.session.statistics.connects == 1)
    }
  }
}
