/// What is fed with anything: each reads bytes that come from outside.
enum FuzzTarget: String, CaseIterable {
  /// The reader of JSON.
  case json
  /// Messages of nodes: the stream, a blank and the payload.
  case telegrams
  /// Commands and messages of the fleet tool: which, a blank and the payload.
  case messages
  /// Topics and prefixes.
  case topics
  /// What gpsd says, through the location logic to the messages that follow.
  case gpsd
  /// node.toml.
  case nodeConfiguration = "node-configuration"
  /// fleet.toml.
  case fleetConfiguration = "fleet-configuration"
  /// Recordings.
  case recording
  /// What lies in the spool's folder: segments and state.
  case spool
  /// Messages in a row at the fleet tool: lines of a topic, a blank and a payload.
  case fleet

  /// What is wrong with how these bytes were read; nil when nothing is.
  func complaint(about bytes: [UInt8]) -> String? {
    do throws(Violation) {
      switch self {
      case .json: try checkJSON(bytes)
      case .telegrams: try checkTelegram(bytes)
      case .messages: try checkMessage(bytes)
      case .topics: try checkTopic(bytes)
      case .gpsd: try checkGpsd(bytes)
      case .nodeConfiguration: try checkNodeConfiguration(bytes)
      case .fleetConfiguration: try checkFleetConfiguration(bytes)
      case .recording: try checkRecording(bytes)
      case .spool: try checkSegment(bytes)
      case .fleet: try checkFleet(bytes)
      }
      return nil
    } catch {
      return error.text
    }
  }
}

/// Something that must hold does not.
struct Violation: Error {
  let text: String
}

/// Throws unless it holds.
func require(_ holds: Bool, _ text: @autoclosure () -> String) throws(Violation) {
  if !holds { throw Violation(text: text()) }
}

/// Throws unless a text for people is one line that any terminal can show, and no longer than this [bytes].
func requirePrintable(_ text: String, longest: Int = 1000) throws(Violation) {
  try require(!text.isEmpty, "an empty text")
  try require(text.utf8.count <= longest, "a text of \(text.utf8.count) bytes: \(text.prefix(100))")
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
      throw Violation(text: "U+\(String(scalar.value, radix: 16)) in \(text.debugDescription)")
    default: continue
    }
  }
}

/// Throws unless a payload is one line of bounded length.
func requireLine(_ payload: [UInt8], from count: Int) throws(Violation) {
  try require(payload.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character in a payload")
  try require(payload.count <= 12 * count + 1024, "\(payload.count) bytes written of \(count) read")
}
