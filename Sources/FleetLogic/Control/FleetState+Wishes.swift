internal import Telemetry

/// Commands that wait for their nodes.
extension FleetState {
  /// The wishes that wait, by when they were made.
  public var knownWishes: [Wish] { wishes.all }

  mutating func add(_ wish: Wish, at moment: Moment) -> OrderAnswer {
    if let trouble = wishes.add(wish) { return OrderAnswer(false, trouble) }
    keep(wish)
    let lasting = configuration.keeps ? "" : ", or this tool is stopped: nothing is kept (store.file)"
    let words = "\(wish.id) waits for \(wish.node) until \(wish.expires.rfc3339)\(lasting)"
    guard let index = indices[wish.node] else { return OrderAnswer(true, "\(words); it was never heard of") }
    guard nodes[index].presence == .online, isConnected else { return OrderAnswer(true, words) }
    offerWishes(node: index, at: moment)
    return OrderAnswer(true, "\(wish.id) is on its way to \(wish.node)")
  }

  mutating func withdraw(_ id: String, _ author: String, at moment: Moment) -> OrderAnswer {
    guard let wish = wishes.withdraw(id, at: moment.wall) else {
      return OrderAnswer(false, "no wish \(SafeText.quoted(id)) waits")
    }
    keep(wish)
    return OrderAnswer(true, "the wish \(wish.id) is taken back; what was sent already may still be done")
  }

  /// After each message of a node: it may be an answer, and says that the node is there.
  mutating func attendWishes(
    _ telegram: Telegram, _ payload: [UInt8], retained: Bool, node index: Int, at moment: Moment
  ) {
    guard !wishes.isEmpty else { return }
    if case .reply(let reply) = telegram.body, !retained,
      let wish = wishes.settle(reply, payload, of: nodes[index].name, at: moment.wall)
    {
      keep(wish)
      let reason = reply.reason.map { ": \(SafeText.escaped($0, limit: 200))" } ?? ""
      log(.information, "\(what(wish)) is \(wish.state.rawValue)\(reason)")
    }
    if nodes[index].presence == .online { offerWishes(node: index, at: moment) }
  }

  private mutating func offerWishes(node index: Int, at moment: Moment) {
    guard case .connected(let linked) = link, let prefix = commandPrefix(node: index) else { return }
    let occasion = Wishes.Occasion(
      boot: nodes[index].boot, since: nodes[index].presenceSince.instant, linked: linked.instant)
    for wish in wishes.offer(to: nodes[index].name, on: occasion) where wish.expires > moment.wall {
      let topic = CommandTopic(prefix: prefix, node: wish.node)
      effects.append(
        .publish(Publication(topic: topic.description, payload: wish.message.encode(), retained: false)))
      log(.debug, "\(what(wish)) is sent")
    }
  }

  /// Where the node speaks; until it has, where it would if there is only one place.
  private func commandPrefix(node index: Int) -> TopicPrefix? {
    nodes[index].prefix ?? (try? TopicPrefix(configuration.prefix.description))
  }

  private func what(_ wish: Wish) -> String {
    let author = SafeText.escaped(wish.author, limit: 60)
    let command = wish.command.verb.rawValue + ReplyText.argument(wish.command)
    return "the wish \(wish.id) of \(author), \(command) for \(wish.node),"
  }

  /// Tells and drops those that have lapsed, and says when that is due next.
  mutating func expireWishes(at moment: Moment) {
    for wish in wishes.expire(at: moment.wall) {
      keep(wish)
      log(.warning, "\(what(wish)) has lapsed: the node did not answer in time")
    }
    wishesDue = wishes.earliest.map { moment.instant + max(0.001, $0 - moment.wall) }
  }

  private mutating func keep(_ wish: Wish) {
    guard configuration.keeps else { return }
    effects.append(.keep(.wish(wish)))
  }
}
