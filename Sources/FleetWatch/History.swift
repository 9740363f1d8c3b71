internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Store
internal import Telemetry

/// What every command that reads the history needs: the database, the filters, and where to write.
struct History {
  let invocation: Invocation
  let output: StandardOutput
  let configuration: Configuration
  let reader: HistoryReader
  let now: WallTime
  let from: WallTime?, until: WallTime?
  /// What the configuration says of the nodes.
  let labels: [NodeName: Label]

  init(
    _ invocation: Invocation, _ output: StandardOutput, _ configuration: Configuration,
    _ environment: [String: String]
  ) throws(Termination) {
    self.invocation = invocation
    self.output = output
    self.configuration = configuration
    now = History.calendar()
    from = try History.time("since", invocation, now)
    until = try History.time("until", invocation, now)
    do throws(ConfigurationFailure) { labels = try Label.all(configuration) } catch { throw error.termination }
    let file = StoreSettings(configuration, environment: environment)?.file ?? HistoryCommands.defaultStore
    reader = try History.stored { () throws(StoreProblem) in try HistoryReader(file) }
  }

  /// clock_gettime(2).
  static func calendar() -> WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }

  private static func time(_ option: String, _ invocation: Invocation, _ now: WallTime) throws(Termination) -> WallTime?
  {
    guard let text = invocation.text(option) else { return nil }
    if let time = TimeOption.time(text, now: now) { return time }
    throw Termination(
      .usage, ["--\(option) \(SafeText.quoted(text)): expected 90s, 15m, 2h, 7d or a time such as 2026-11-30T04:00:00Z"]
    )
  }

  var isJSON: Bool { invocation.isGiven("json") }

  /// How wide a line may be: only a terminal bounds it.
  var width: Int { output.isTerminal ? Terminal.size()?.columns ?? 80 : Int.max }

  /// One line that is safe to show, cut to a terminal's width.
  func line(_ text: String) throws(Termination) { try output.line(TextWidth.cut(text, to: width)) }

  func json(_ bytes: [UInt8]) throws(Termination) { try output.line(String(decoding: bytes, as: UTF8.self)) }

  /// Runs `body`; a problem of the database ends the program with one line.
  static func stored<Result>(_ body: () throws(StoreProblem) -> Result) throws(Termination) -> Result {
    do throws(StoreProblem) {
      return try body()
    } catch {
      let code: ExitCode =
        switch error.kind {
        case .denied: .permission
        case .newer, .foreign: .configuration
        case .busy, .full, .readOnly, .inUse: .temporary
        case .gone, .io, .corrupt, .older, .other: .unavailable
        }
      throw Termination(code, [error.description])
    }
  }

  func stored<Result>(_ body: () throws(StoreProblem) -> Result) throws(Termination) -> Result {
    try History.stored(body)
  }

  /// The nodes whose names fit a pattern, by name.
  func nodes(_ pattern: String) throws(Termination) -> [NodeName] {
    let pattern = NamePattern(pattern)
    return try stored { () throws(StoreProblem) in try reader.nodeNames() }
      .filter { pattern.matches($0.description) && isWanted($0) }.sorted()
  }

  /// Whether a node fits `--site` and `--group`.
  func isWanted(_ node: NodeName) -> Bool {
    isWanted(site: labels[node]?.site) && isWanted("group", labels[node]?.group)
  }

  /// Whether a site fits `--site`.
  func isWanted(site: String?) -> Bool { isWanted("site", site) }

  private func isWanted(_ option: String, _ label: String?) -> Bool {
    guard let pattern = invocation.text(option) else { return true }
    return label.map { NamePattern(pattern).matches($0) } ?? false
  }

  /// Whether only nodes of some sites or groups are asked for.
  var hasLabelFilter: Bool { invocation.isGiven("site") || invocation.isGiven("group") }

  /// Ends with a usage error when one of these options is given, which mean nothing without `needed`.
  func refuse(_ options: [String], without needed: String) throws(Termination) {
    guard let option = options.first(where: { invocation.isGiven($0) }) else { return }
    throw Termination(.usage, ["--\(option) means nothing without \(needed)"])
  }

  /// The node that an operand names.
  func node(_ text: String) throws(Termination) -> NodeName {
    let all = try nodes("*")
    if let node = NodeName(text), all.contains(node) { return node }
    let near = nearestName(to: text, among: all.map(\.description)).map { "; did you mean '\($0)'?" } ?? ""
    throw Termination(.unavailable, ["the history has no node \(SafeText.quoted(text))\(near)"])
  }

  /// The streams of `--stream`; nil: all.
  func streams() throws(Termination) -> [Telemetry.Stream]? {
    guard let text = invocation.text("stream") else { return nil }
    var streams: [Telemetry.Stream] = []
    for word in text.split(separator: ",") {
      guard let stream = Telemetry.Stream(rawValue: String(word)), stream.isEvent else {
        let names = Telemetry.Stream.allCases.filter(\.isEvent).map(\.rawValue).joined(separator: ", ")
        throw Termination(.usage, ["--stream \(SafeText.quoted(word)) is none of \(names)"])
      }
      streams.append(stream)
    }
    return streams
  }

  /// The words of an option that takes a list, each of which must be one of `known`.
  func words(_ option: String, among known: [String]) throws(Termination) -> Set<String>? {
    guard let text = invocation.text(option) else { return nil }
    let words = text.split(separator: ",").map(String.init)
    if let stranger = words.first(where: { !known.contains($0) }) {
      throw Termination(
        .usage, ["--\(option) \(SafeText.quoted(stranger)) is none of \(known.joined(separator: ", "))"])
    }
    return Set(words)
  }

  /// The query that the options say.
  func query(_ order: HistoryReader.Query.Order) throws(Termination) -> HistoryReader.Query {
    var query = HistoryReader.Query(streams: try streams(), from: from, until: until, order: order)
    let pattern = invocation.text("node")
    if pattern != nil || hasLabelFilter { query.nodes = try nodes(pattern ?? "*") }
    if invocation.isGiven("late") { query.isLate = true }
    return query
  }

  /// Events one after the other, each read when it is wanted.
  func each(_ query: HistoryReader.Query, _ body: (KeptEvent) throws(Termination) -> Void) throws(Termination) {
    let cursor = reader.events(query)
    while let row = try stored({ () throws(StoreProblem) in try cursor.next() }) { try body(KeptEvent(row)) }
  }

  /// The newest `limit` of a query, oldest first; all, oldest first, without a limit.
  func newest(
    _ query: HistoryReader.Query, limit: Int?, _ body: (KeptEvent) throws(Termination) -> Void
  ) throws(Termination) {
    guard let limit else { return try each(query, body) }
    var query = query
    query.order = .newestFirst
    query.limit = limit
    let events = try stored { () throws(StoreProblem) in try reader.events(query).rest() }
    for event in events.reversed() { try body(KeptEvent(event)) }
  }
}

extension KeptEvent {
  init(_ row: EventRow) {
    self.init(
      node: row.node, boot: row.boot, sequence: row.sequence, stream: row.stream, measured: row.measured,
      clock: row.clock, uptime: row.uptimeS, received: row.received, isLate: row.isLate, payload: row.payload)
  }

  /// When it was measured, to the second; in brackets the receipt, where nothing vouches for that.
  var when: String { measured.map { " \($0.second) " } ?? "(\(received.second))" }

  /// What it says, for people.
  var sentence: String {
    let text = telegram.map { PlainLine.sentence($0.body) } ?? "\(stream.rawValue): this version cannot read it"
    return text + (isLate ? " (came late)" : "")
  }
}

extension WallTime {
  /// RFC 3339 without a fraction.
  var second: String {
    let text = WallTime(seconds: seconds.rounded(.down)).rfc3339
    return text.hasSuffix(".000Z") ? text.dropLast(5) + "Z" : text
  }
}
