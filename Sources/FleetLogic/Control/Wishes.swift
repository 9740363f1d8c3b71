public import Telemetry

/// A command that waits for its node to be there.
public struct Wish: Equatable, Sendable {
  /// What became of it.
  public enum State: String, CaseIterable, Sendable {
    /// The node has not answered yet.
    case waiting
    /// The node did it.
    case done
    /// The node answered that it does not.
    case refused
    /// The node did not answer in time.
    case expired
    /// Somebody took it back.
    case withdrawn
  }

  /// Names it; the command has the same id each time it is sent.
  public var id: String
  /// For whom.
  public var node: NodeName
  /// What it is to do.
  public var command: ControlMessage.NodeCommand
  /// Who wishes it.
  public var author: String
  /// When it was made, and when it lapses.
  public var made: WallTime, expires: WallTime
  /// What became of it, and when.
  public var state: State, changed: WallTime
  /// The node's answer as it came; nil: there is none.
  public var reply: [UInt8]?

  /// A wish that waits.
  public init(
    id: String, _ node: NodeName, _ command: ControlMessage.NodeCommand, author: String, made: WallTime,
    expires: WallTime
  ) {
    self.id = id
    self.node = node
    self.command = command
    self.author = author
    self.made = made
    self.expires = expires
    state = .waiting
    changed = made
  }

  /// What is sent to the node. Without an end: the wish's own holds.
  public var message: CommandMessage { command.message(id: id, author: author) }
}

/// The commands that wait for their nodes. Each is sent once on every occasion, with the same id, until the node
/// answers: a node that has done it answers again and does not do it twice, unless it was started anew in between.
struct Wishes: Equatable, Sendable {
  /// Wishes at the most, of all nodes and of one: a node remembers so many answers.
  static let most = 10_000, mostOfNode = 16

  /// A time for which a node is there, and the fleet tool with it.
  struct Occasion: Equatable, Sendable {
    /// The run of the node.
    var boot: BootID?
    /// Since when it is there.
    var since: Instant
    /// Since when the fleet tool's own link is.
    var linked: Instant
  }

  private struct Open: Equatable, Sendable {
    var wish: Wish
    var sent: Occasion?
  }

  private var open: [String: Open] = [:]
  /// By node, in the order in which they were made.
  private var ids: [NodeName: [String]] = [:]
  /// None lapses earlier; nil when none does.
  private(set) var earliest: WallTime?

  var isEmpty: Bool { open.isEmpty }

  /// By when they were made.
  var all: [Wish] { open.values.map(\.wish).sorted { ($0.made, $0.id) < ($1.made, $1.id) } }

  /// Takes a wish in, or says why not. One that is known already stays as it is.
  mutating func add(_ wish: Wish) -> String? {
    guard open[wish.id] == nil else { return nil }
    guard open.count < Self.most else { return "\(Self.most) wishes wait already; take some of them back first" }
    guard ids[wish.node, default: []].count < Self.mostOfNode else {
      return "\(Self.mostOfNode) wishes wait for \(wish.node) already; take some of them back first"
    }
    open[wish.id] = Open(wish: wish)
    ids[wish.node, default: []].append(wish.id)
    earliest = min(earliest ?? wish.expires, wish.expires)
    return nil
  }

  /// What is to be sent to a node that is there, each once an occasion.
  mutating func offer(to node: NodeName, on occasion: Occasion) -> [Wish] {
    (ids[node] ?? []).compactMap { id in
      guard let known = open[id], known.sent != occasion else { return nil }
      open[id]?.sent = occasion
      return known.wish
    }
  }

  /// The node answered: the wish is over. Nil when it answered something else.
  mutating func settle(_ reply: ReplyMessage, _ payload: [UInt8], of node: NodeName, at time: WallTime) -> Wish? {
    guard let id = reply.id, open[id]?.wish.node == node else { return nil }
    return end(id, reply.isDone ? .done : .refused, payload, at: time)
  }

  /// Somebody took it back. Nil when there is none of that id.
  mutating func withdraw(_ id: String, at time: WallTime) -> Wish? { end(id, .withdrawn, nil, at: time) }

  /// Those that have lapsed, by when they were made.
  mutating func expire(at time: WallTime) -> [Wish] {
    guard let earliest, earliest <= time else { return [] }
    let over = all.filter { $0.expires <= time }.compactMap { end($0.id, .expired, nil, at: time) }
    self.earliest = open.values.map(\.wish.expires).min()
    return over
  }

  private mutating func end(_ id: String, _ state: Wish.State, _ reply: [UInt8]?, at time: WallTime) -> Wish? {
    guard var wish = open.removeValue(forKey: id)?.wish else { return nil }
    ids[wish.node]?.removeAll { $0 == id }
    if ids[wish.node]?.isEmpty == true { ids[wish.node] = nil }
    if open.isEmpty { earliest = nil }
    wish.state = state
    wish.changed = time
    wish.reply = reply
    return wish
  }
}
