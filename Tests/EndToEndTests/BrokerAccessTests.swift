import Foundation
import Rig
import Testing

/// What `deploy/mosquitto` and `deploy/certificates` promise, asked of a real mosquitto.
@Suite("Guarded broker", .serialized, .enabled(if: ChildProcess.find("mosquitto") != nil, "mosquitto is not installed"))
struct BrokerAccessTests {
  @Test("A node writes its own streams and nothing else, and the fleet tool hears it")
  func writing() throws {
    let broker = try GuardedBroker(nodes: ["pump-1", "pump-2"])
    let fleet = try broker.subscribe(["#"], as: "judder-fleet")
    let streams = [
      "status", "acceleration", "shake", "impact", "orientation", "location", "health", "evicted", "reply", "check",
    ]
    for stream in streams { try broker.publish("judder/pump-1/\(stream)", "own-\(stream)", as: "pump-1") }
    let forbidden = [
      "judder/pump-2/shake", "judder/pump-1/command", "judder/pump-1/ack", "judder/pump-1/shake/more", "judder/pump-1",
      "judder-fleet/alerts/shake/pump-1", "judder-fleet/status", "elsewhere",
    ]
    for topic in forbidden { try broker.publish(topic, "forbidden", as: "pump-1") }
    try broker.publish("judder/pump-2/shake", "under another client id", as: "pump-1", ["-i", "pump-2"])
    try broker.publish("judder/pump-2/shake", "last", as: "pump-2")
    #expect(fleet.prints("judder/pump-2/shake last"))
    for stream in streams { #expect(fleet.outputText().contains("judder/pump-1/\(stream) own-\(stream)")) }
    #expect(!fleet.outputText().contains("forbidden"))
    #expect(!fleet.outputText().contains("another client id"))
  }

  @Test("A node reads what is said to it and no other node's messages")
  func reading() throws {
    let broker = try GuardedBroker(nodes: ["pump-1", "pump-2"])
    let node = try broker.subscribe(["judder/#", "judder/+/command", "judder/pump-1/command"], as: "pump-1")
    try broker.publish("judder/pump-2/shake", "not for others", as: "pump-2")
    try broker.publish("judder/pump-2/command", "not for others", as: "judder-fleet")
    try broker.publish("judder/pump-1/command", "for pump-1", as: "judder-fleet")
    #expect(node.prints("judder/pump-1/command for pump-1"))
    #expect(!node.outputText().contains("not for others"))
  }

  @Test("The fleet tool acknowledges and alerts but can't speak for a node; a viewer says nothing")
  func fleet() throws {
    let broker = try GuardedBroker(nodes: ["pump-1"])
    try broker.publish("judder-fleet/alerts/shake/pump-1", "invented", as: "judder-viewer", ["-r"])
    let viewer = try broker.subscribe(["judder/#", "judder-fleet/#"], as: "judder-viewer")
    let node = try broker.subscribe(["judder/pump-1/ack"], as: "pump-1")
    try broker.publish("judder/pump-1/shake", "invented", as: "judder-fleet")
    try broker.publish("judder/pump-1/ack", "stored", as: "judder-fleet")
    try broker.publish("judder-fleet/alerts/shake/pump-1", "firing", as: "judder-fleet")
    #expect(node.prints("judder/pump-1/ack stored"))
    #expect(viewer.prints("judder-fleet/alerts/shake/pump-1 firing"))
    #expect(!viewer.outputText().contains("invented"))
  }

  @Test("Nobody connects without a certificate of this authority")
  func strangers() throws {
    let broker = try GuardedBroker(nodes: ["pump-1"])
    #expect(try broker.publish("judder/pump-1/shake", "control", as: "pump-1"))
    #expect(try !broker.publish("judder/pump-1/shake", "anonymous", as: nil))
    let plain = try ChildProcess(
      "mosquitto_pub", ["-h", "127.0.0.1", "-p", "\(broker.port)", "-t", "judder/pump-1/shake", "-m", "plain"],
      in: broker.workplace.folder)
    #expect(plain.wait(seconds: 10) != 0)

    let other = try Workplace("judder-rogue")
    try GuardedBroker.certificates(["ca"], in: other)
    try GuardedBroker.certificates(["node", "pump-1"], in: other)
    let stolen = ["--cert", other.path("judder/pump-1.crt"), "--key", other.path("judder/pump-1.key")]
    #expect(try !broker.publish("judder/pump-1/shake", "another authority", as: nil, stolen))
    let wrongServer = ["--cafile", other.path("judder/ca.crt")]
    #expect(try !broker.publish("judder/pump-1/shake", "a server not vouched for", as: "pump-1", wrongServer))
  }

  @Test("A client refuses a server under a name that its certificate doesn't have")
  func hostName() throws {
    let broker = try GuardedBroker(nodes: ["pump-1"])
    #expect(try broker.publish("judder/pump-1/shake", "by address", as: "pump-1", ["-h", "127.0.0.1"]))
    #expect(try !broker.publish("judder/pump-1/shake", "by another", as: "pump-1", ["-h", "127.0.0.2"]))
  }

  @Test("A revoked certificate is refused once the broker has read the new list")
  func revoked() throws {
    let broker = try GuardedBroker(nodes: ["pump-1", "pump-2"])
    let folder = broker.workplace.path("judder")
    for kind in ["crt", "key"] {
      try FileManager.default.copyItem(atPath: "\(folder)/pump-1.\(kind)", toPath: "\(folder)/stolen.\(kind)")
    }
    #expect(try broker.publish("judder/pump-1/shake", "before", as: "stolen"))
    try GuardedBroker.certificates(["revoke", "pump-1"], in: broker.workplace)
    broker.reload()
    #expect(waitUntil(seconds: 10) { (try? broker.publish("judder/pump-1/shake", "after", as: "stolen")) == false })
    #expect(try broker.publish("judder/pump-2/shake", "still welcome", as: "pump-2"))
  }

  @Test("A node can't throw another out by taking its client id")
  func clientID() throws {
    let broker = try GuardedBroker(nodes: ["pump-1", "pump-2"])
    let victim = try broker.subscribe(["judder/pump-2/command"], as: "pump-2", ["-i", "pump-2"])
    #expect(try broker.publish("judder/pump-1/shake", "hello", as: "pump-1", ["-i", "pump-2"]))
    try broker.publish("judder/pump-2/command", "still there", as: "judder-fleet")
    #expect(victim.prints("judder/pump-2/command still there"))
    #expect(!broker.log.contains("Client pump-2 already connected"))
  }

  @Test("A message above the limit is not passed on")
  func large() throws {
    let broker = try GuardedBroker(nodes: ["pump-1"])
    let fleet = try broker.subscribe(["judder/#"], as: "judder-fleet")
    let file = try broker.workplace.write("large", String(repeating: "x", count: 200_000))
    let child = try broker.start("mosquitto_pub", as: "pump-1", ["-q", "1", "-t", "judder/pump-1/shake", "-f", file])
    _ = child.wait(seconds: 10)
    child.stop()
    try broker.publish("judder/pump-1/shake", "after it", as: "pump-1")
    #expect(fleet.prints("judder/pump-1/shake after it"))
    #expect(!fleet.outputText().contains("xxxx"))
  }
}
