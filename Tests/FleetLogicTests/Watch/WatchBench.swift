import FleetLogic
import Telemetry

/// A viewer on a fleet under test.
struct WatchBench {
  var bench: Bench
  var memory: WatchMemory
  var screen: WatchScreen

  init(
    _ configuration: FleetState.Configuration = FleetState.Configuration(), width: Int = 80, height: Int = 24,
    isColoured: Bool = false, isUnicode: Bool = true
  ) {
    bench = Bench(configuration)
    memory = WatchMemory(configuration)
    screen = WatchScreen(width: width, height: height, isColoured: isColoured, isUnicode: isUnicode)
  }

  mutating func send(_ node: String, _ body: Telegram.Body, boot: UInt32 = 1) {
    note(bench.send(node, body, boot: boot))
  }

  mutating func pass(_ seconds: Double) { note(bench.pass(seconds)) }

  /// What the fleet tool publishes.
  mutating func hear(_ topic: String, _ payload: [UInt8], retained: Bool = false) {
    memory.hear(topic: topic, payload: payload)
    note(bench.raw(topic, payload, retained: retained))
  }

  private mutating func note(_ effects: [Effect]) {
    for change in effects.changes { memory.note(change) }
  }

  mutating func lines() -> [String] { screen.lines(bench.fleet, memory, at: bench.now) }

  mutating func text() -> String { lines().joined(separator: "\n") }

  /// Draws after each key, as the shell does.
  @discardableResult
  mutating func press(_ keys: Key...) -> [WatchRequest] {
    _ = lines()
    return keys.compactMap { key in
      let request = screen.press(key)
      _ = lines()
      return request
    }
  }

  @discardableResult
  mutating func type(_ text: String) -> [WatchRequest] {
    text.unicodeScalars.flatMap { press(.character($0)) }
  }

  /// The node that the cursor is on.
  mutating func chosen() -> String? {
    lines().first { $0.hasPrefix(">") }?.dropFirst(4).split(separator: " ").first.map(String.init)
  }

  /// The nodes that are shown, from the top.
  mutating func shown() -> [String] {
    let lines = lines()
    guard let titles = lines.firstIndex(where: { $0.contains("NODE ") }) else { return [] }
    return lines[(titles + 1)...].dropLast().prefix { !$0.isEmpty }.compactMap {
      $0.dropFirst(4).split(separator: " ").first.map(String.init)
    }
  }
}
