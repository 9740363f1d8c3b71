public import Telemetry

/// What a running fleet tool keeps in the store of its quarantine, for `judder-fleet nodes --quarantine`.
public struct QuarantineNote: Equatable, Sendable {
  /// The note's key.
  public static let key = "quarantine"

  /// A node that was not taken in.
  public struct Entry: Equatable, Sendable {
    /// As in its topics.
    public var name: NodeName
    /// `not_listed` or `too_many_nodes`.
    public var reason: String
    public var count: Int
    /// By the fleet tool's clock.
    public var first: WallTime, last: WallTime
  }

  /// When it was made.
  public var time: WallTime
  /// About how many nodes there were, and their messages, since that fleet tool was started.
  public var nodes: Int, messages: Int
  /// Some of them, the one heard last first.
  public var entries: [Entry]

  init(_ quarantine: Quarantine, at time: WallTime) {
    self.time = time
    nodes = quarantine.nodes
    messages = quarantine.messages
    entries = quarantine.entries.map {
      Entry(
        name: $0.name, reason: $0.reason.description, count: $0.count, first: $0.first.wall, last: $0.last.wall)
    }
  }

  func encode() -> [UInt8] {
    var json = JSONWriter(capacity: 4096)
    json.object { json in
      json.number("t", time.seconds, decimals: 0)
      json.integer("nodes", nodes)
      json.integer("messages", messages)
      json.array("entries") { json in
        for entry in entries {
          json.object { json in
            json.string("node", entry.name.description)
            json.string("reason", entry.reason)
            json.integer("count", entry.count)
            json.number("first_t", entry.first.seconds, decimals: 0)
            json.number("last_t", entry.last.seconds, decimals: 0)
          }
        }
      }
    }
    return json.bytes
  }

  /// A full quarantine has more than what may come from the network.
  private static let limits = JSONLimits(bytes: 1 << 20, members: 8 * Quarantine.capacity)

  /// Nil when it is not what `encode` wrote.
  public init?(_ text: [UInt8]) {
    guard let json = try? JSONValue.parse(text, limits: Self.limits), let time = json["t"]?.number,
      let nodes = json["nodes"]?.integer, let messages = json["messages"]?.integer
    else { return nil }
    self.time = WallTime(seconds: time)
    self.nodes = nodes
    self.messages = messages
    entries = json["entries"]?.array?.compactMap { Entry($0) } ?? []
  }
}

extension QuarantineNote.Entry {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["node"]?.string.flatMap({ NodeName($0) }), let reason = json["reason"]?.string,
      let count = json["count"]?.integer, let first = json["first_t"]?.number, let last = json["last_t"]?.number
    else { return nil }
    self.init(
      name: name, reason: reason, count: count, first: WallTime(seconds: first), last: WallTime(seconds: last))
  }
}
