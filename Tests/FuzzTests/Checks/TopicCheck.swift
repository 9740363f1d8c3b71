import Telemetry

private let patterns = ["judder", "+/judder", "acme/zurich/+", "+"]

/// A topic that is taken for one is written as it came, and names what a topic may name.
func checkTopic(_ bytes: [UInt8]) throws(Violation) {
  let text = String(decoding: bytes, as: UTF8.self)
  try checkPrefix(text)
  if let node = NodeName(fromHostName: text) { try requireNodeName(node.description) }
  for pattern in patterns {
    if let pattern = try? PrefixPattern(pattern) { try checkTopic(text, pattern) }
  }
  if let own = FleetTopic(text, under: .standardFleet) {
    try require(isSame(own.text(under: .standardFleet), text), "another topic: \(text.debugDescription)")
  }
}

private func checkTopic(_ text: String, _ pattern: PrefixPattern) throws(Violation) {
  switch Result(catching: { () throws(TopicProblem) in try Topic(text, under: pattern) }) {
  case .success(let topic):
    try require(isSame(topic.description, text), "another topic: \(text.debugDescription)")
    try requireNodeName(topic.node.description)
  case .failure(let problem): try requirePrintable(problem.description)
  }
  if let command = CommandTopic(text, under: pattern) {
    try require(isSame(command.description, text), "another command topic: \(text.debugDescription)")
    try requireNodeName(command.node.description)
  }
  if let ack = AckTopic(text, under: pattern) {
    try require(isSame(ack.description, text), "another topic of acknowledgements: \(text.debugDescription)")
  }
}

private func checkPrefix(_ text: String) throws(Violation) {
  switch Result(catching: { () throws(PrefixProblem) in try TopicPrefix(text) }) {
  case .success(let prefix):
    try require(isSame(prefix.description, text), "another prefix: \(text.debugDescription)")
    try require(PrefixPattern(prefix).matches(prefix), "does not match itself: \(text.debugDescription)")
  case .failure(let problem): try requirePrintable(problem.description)
  }
}

private func requireNodeName(_ name: String) throws(Violation) {
  let isName =
    (1...63).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
    && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
  try require(isName, "no name of a node: \(name.debugDescription)")
}

/// By bytes: strings that look the same compare as equal.
private func isSame(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
