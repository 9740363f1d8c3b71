import Telemetry

/// Any stream's message: the stream's name, a blank and the payload.
func checkTelegram(_ bytes: [UInt8]) throws(Violation) {
  let (name, payload) = parts(of: bytes)
  let stream = Stream(rawValue: name) ?? Stream.allCases[bytes.count % Stream.allCases.count]
  try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
    let telegram = try Telegram.decode(stream: stream, payload: payload)
    return telegram.body.stream == stream ? telegram.encode() : nil
  }
}

/// A command, an acknowledgement, a status of the fleet tool, a request to it, its answer
/// or an alert: what it is, a blank and the payload.
func checkMessage(_ bytes: [UInt8]) throws(Violation) {
  let (name, payload) = parts(of: bytes)
  switch name {
  case "command":
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      try CommandMessage.decode(payload: payload).encode()
    }
    if let id = CommandMessage.id(ofUnreadable: payload) { try require(id.utf8.count <= 64, "an id that is too long") }
  case "status":
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      try FleetStatusMessage.decode(payload: payload).encode()
    }
  case "control":
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      try ControlMessage.decode(payload: payload).encode()
    }
  case "answer":
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      let reply = try ControlReply.decode(payload: payload)
      return reply.alerts.count <= ControlReply.mostAlerts ? reply.encode() : nil
    }
  case "ack":
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      let ack = try AckMessage.decode(payload: payload)
      let isInOrder = ack.also.count <= AckMessage.mostRuns && ack.also.allSatisfy { $0.lowerBound > ack.sequence }
      return isInOrder ? ack.encode() : nil
    }
  default:
    try checkRoundTrip(payload) { (payload) throws(DecodingProblem) in
      try AlertMessage.decode(payload: payload).encode()
    }
  }
}

/// What stands before the first blank, and what after it.
func parts(of bytes: some Collection<UInt8>) -> (name: String, rest: [UInt8]) {
  guard let blank = bytes.firstIndex(of: UInt8(ascii: " ")) else { return (String(decoding: bytes, as: UTF8.self), []) }
  return (String(decoding: bytes[..<blank], as: UTF8.self), Array(bytes[bytes.index(after: blank)...]))
}

/// What was read and is written again is one line, can be read, and is then the same: it has the contract's decimals.
/// What is refused says why in one line.
private func checkRoundTrip(
  _ payload: [UInt8], _ readAndWrite: ([UInt8]) throws(DecodingProblem) -> [UInt8]?
) throws(Violation) {
  let written: [UInt8]
  switch Result(catching: { () throws(DecodingProblem) in try readAndWrite(payload) }) {
  case .success(let bytes?): written = bytes
  case .success(nil): throw Violation(text: "not what it says")
  case .failure(let problem): return try requirePrintable(problem.description)
  }
  try requireLine(written, from: payload.count)
  switch Result(catching: { () throws(DecodingProblem) in try readAndWrite(written) }) {
  case .success(let again): try require(again == written, "written another way the second time: \(text(written))")
  case .failure(let problem):
    // Escapes may make it longer than what may be read.
    try require(written.count > JSONLimits.default.bytes, "cannot be read again, \(problem): \(text(written))")
  }
}

private func text(_ bytes: [UInt8]) -> String { SafeText.escaped(bytes, limit: 2000) }
