import Foundation
import Telemetry
import Testing

/// deploy/mosquitto/judder.acl against the code: what a node publishes, the broker must let through. What it refuses it
/// refuses for good, and the node can't know whether anybody will ever change that.
@Suite struct AccessListTests {
  /// One line of mosquitto's access list: acl_file in mosquitto.conf(5).
  private struct Grant {
    /// Nil for a pattern, which holds for everybody.
    var user: String?
    var access: Substring
    var filter: String

    func allows(_ wanted: Substring, _ topic: String, for name: String) -> Bool {
      guard user == nil || user == name, access == wanted || access == "readwrite" else { return false }
      return Self.matches(filter.replacing("%u", with: name), topic)
    }

    private static func matches(_ filter: String, _ topic: String) -> Bool {
      let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
      let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
      for (index, level) in wanted.enumerated() {
        if level == "#" { return true }
        guard index < levels.count, level == "+" || level == levels[index] else { return false }
      }
      return wanted.count == levels.count
    }
  }

  private let grants: [Grant]

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "deploy/mosquitto/judder.acl"), encoding: .utf8)
    var grants: [Grant] = []
    var user = ""
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      switch (words.first, words.count) {
      case ("user", 2): user = String(words[1])
      case ("pattern", 3): grants.append(Grant(user: nil, access: words[1], filter: String(words[2])))
      case ("topic", 3): grants.append(Grant(user: user, access: words[1], filter: String(words[2])))
      default: Issue.record("a line that this test can't read: \(line)")
      }
    }
    self.grants = grants
  }

  private func may(_ name: String, _ access: Substring, _ topic: String) -> Bool {
    grants.contains { $0.allows(access, topic, for: name) }
  }

  @Test(arguments: Telemetry.Stream.allCases)
  func aNodeMayWriteEveryStreamOfItsOwnAndTheFleetReadIt(stream: Telemetry.Stream) {
    let topic = "judder/pump-2/\(stream.rawValue)"
    #expect(may("pump-2", "write", topic))
    #expect(may("judder-fleet", "read", topic))
    #expect(may("judder-viewer", "read", topic))
    for name in ["pump-3", "judder-fleet", "judder-viewer"] { #expect(!may(name, "write", topic), "\(name)") }
    #expect(!may("pump-3", "read", topic))
  }

  @Test func aNodeHearsItsCommandsAndTheFleetGivesThem() {
    #expect(may("pump-2", "read", "judder/pump-2/ack"))
    #expect(!may("pump-3", "read", "judder/pump-2/ack"))
    #expect(may("judder-fleet", "write", "judder/pump-2/ack"))
    #expect(!may("judder-viewer", "write", "judder/pump-2/ack") && !may("pump-2", "write", "judder/pump-2/ack"))
    #expect(may("pump-2", "read", "judder/pump-2/command"))
    #expect(!may("pump-3", "read", "judder/pump-2/command"))
    #expect(may("judder-fleet", "write", "judder/pump-2/command"))
    #expect(!may("judder-viewer", "write", "judder/pump-2/command"))
    #expect(may("judder-fleet", "write", "judder-fleet/alerts/silent/pump-2"))
  }

  @Test func anOperatorAsksTheFleetToolAndTheNodesAndNobodyElseDoes() {
    for topic in ["judder-fleet/command", "judder/pump-2/command"] {
      #expect(may("judder-operator", "write", topic) && may("judder-fleet", "write", topic))
      for name in ["judder-viewer", "pump-2", "pump-3"] { #expect(!may(name, "write", topic), "\(name)") }
    }
    for topic in ["judder-fleet/reply", "judder/pump-2/reply", "judder/pump-2/status", "judder-fleet/status"] {
      #expect(may("judder-operator", "read", topic) && !may("judder-operator", "write", topic))
    }
    #expect(may("judder-fleet", "read", "judder-fleet/command") && may("judder-fleet", "write", "judder-fleet/reply"))
    #expect(!may("judder-operator", "write", "judder/pump-2/ack"))
    #expect(!may("judder-operator", "write", "judder-fleet/alerts/silent/pump-2"))
  }

  /// Every stream is granted by name, so that the number of messages that a node can have retained stays bounded.
  @Test func nothingElseIsGranted() {
    let known = Set(Telemetry.Stream.allCases.map(\.rawValue))
    let granted = grants.filter { $0.user == nil && $0.access == "write" }
      .map { $0.filter.replacing("judder/%u/", with: "") }
    // What `judder-node check` publishes.
    #expect(Set(granted).subtracting(known) == ["check"])
    #expect(!granted.contains { $0.contains(where: "+#".contains) })
  }
}
