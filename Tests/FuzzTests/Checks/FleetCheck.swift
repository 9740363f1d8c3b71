import FleetLogic
import Telemetry

/// Messages in a row: nodes stay within their bound, each message is counted once, and each line of the log and each
/// publication is fit to be shown. A line of digits alone lets so many seconds pass.
func checkFleet(_ bytes: [UInt8]) throws(Violation) {
  var configuration = FleetState.Configuration()
  configuration.maxNodes = 3
  var fleet = FleetState(
    configuration, clock: ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .ntp))
  var now = Instant.start
  try check(fleet.handle(.connected, at: now), bytes.count)
  for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(200) {
    if let seconds = Int(String(decoding: line.prefix(5), as: UTF8.self)), seconds > 0 {
      now = now + Double(seconds)
      try check(fleet.handle(.tick, at: now), bytes.count)
      continue
    }
    now = now + 0.1
    let topic = Array(line.prefix { $0 != UInt8(ascii: " ") })
    let payload = Array(line.dropFirst(topic.count + 1))
    let isRetained = line.count % 5 == 0
    let effects = fleet.handle(.message(topic: topic, payload: payload, retained: isRetained), at: now)
    try check(effects, bytes.count)
    try require(fleet.nodes.count <= configuration.maxNodes, "\(fleet.nodes.count) nodes")
  }
  try check(fleet.handle(.stop, at: now), bytes.count)
}

private func check(_ effects: [Effect], _ count: Int) throws(Violation) {
  for effect in effects {
    switch effect {
    case .log(let entry): try requirePrintable(entry.text, longest: 4000)
    case .publish(let publication):
      try requirePrintable(publication.topic)
      try requireLine(publication.payload, from: count)
    case .alert(let alert): try requirePrintable(alert.summary)
    default: continue
    }
  }
}
