import Telemetry

/// What is accepted is JSON: written again it reads the same. What is refused says why in one line.
func checkJSON(_ bytes: [UInt8]) throws(Violation) {
  switch Result(catching: { () throws(JSONProblem) in try JSONValue.parse(bytes) }) {
  case .success(let value):
    let text = written(value)
    // Escapes may make a text longer than what may be read.
    if text.count <= JSONLimits.default.bytes {
      try require((try? JSONValue.parse(text)) == value, "reads back as another value")
    }
    try require((try? JSONValue.parse(bytes, limits: .lenient)) == value, "another value for a lenient reader")
  case .failure(let problem):
    try requirePrintable(problem.description)
    try require((0...bytes.count).contains(problem.offset), "a problem at byte \(problem.offset)")
  }
}

/// The value as JSON. Numbers are written by their shortest description, which reads back as the same.
private func written(_ value: JSONValue) -> [UInt8] {
  switch value {
  case .null: return Array("null".utf8)
  case .bool(let truth): return Array((truth ? "true" : "false").utf8)
  case .number(let number): return Array(number.description.utf8)
  case .string(let text):
    var json = JSONWriter()
    json.string(text)
    return json.bytes
  case .array(let elements): return [0x5B] + Array(elements.map(written).joined(separator: [0x2C])) + [0x5D]
  case .object(let members):
    let pairs = members.map { written(.string($0.key)) + [0x3A] + written($0.value) }
    return [0x7B] + Array(pairs.joined(separator: [0x2C])) + [0x7D]
  }
}
