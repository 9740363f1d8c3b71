internal import Rig
internal import Telemetry

/// Sends by a schedule that nothing holds up: what is late is sent at once, and what comes after it keeps its instant.
struct Drive {
  /// When a shake was to be sent, and when it was, right before the call that sends it [s].
  struct Shake {
    let node: Int
    let dueS: Double
    let sentS: Double
  }

  private let publisher: RawPublisher
  private var load = Load()
  private var random = SeededRandom(seed: 2026)
  private var nextNode = 1
  /// All messages that were sent, and those of them that the broker has yet to acknowledge.
  private(set) var sent = 0
  private var open = 0

  init(port: Int) { publisher = RawPublisher(port: port) }

  /// Every node connects.
  mutating func greet(shaken: Int) throws {
    let names = (0..<Load.nodes).map { Load.node($0) } + (1...shaken).map { "\(Ear.shaken)\($0)" }
    let startS = monotonicS()
    for (place, name) in names.enumerated() {
      sleep(untilS: startS + Double(place) * 0.001)
      try send(load.greeting(name))
    }
  }

  /// - Parameters:
  ///   - shakes: how many; at `shakesHz` with a jitter, so that they do not come in step with anything.
  ///   - loadHz: other messages, evenly; 0: none.
  mutating func run(shakes count: Int, shakesHz: Double, loadHz: Double) throws -> [Shake] {
    let startS = monotonicS() + 0.05
    let dueS = (0..<count).map { startS + (Double($0) + Double.random(in: 0..<1, using: &random)) / shakesHz }
    var shakes: [Shake] = []
    var others = 0
    while shakes.count < count {
      let otherS = loadHz > 0 ? startS + Double(others) / loadHz : .infinity
      let shakeS = dueS[shakes.count]
      guard shakeS <= otherS else {
        others += 1
        let message = load.next()
        sleep(untilS: otherS)
        try send(message)
        continue
      }
      let message = load.shake("\(Ear.shaken)\(nextNode)")
      sleep(untilS: shakeS)
      shakes.append(Shake(node: nextNode, dueS: shakeS, sentS: monotonicS()))
      nextNode += 1
      try send(message)
    }
    return shakes
  }

  private mutating func send(_ message: NodeMessage) throws {
    let qos = Int(message.stream.qos)
    guard publisher.send(message.topic, message.payload, qos: qos, isRetained: message.stream.isRetained) else {
      throw RigError("the broker has ended the publisher's connection")
    }
    sent += 1
    open += qos
    if open > 200 { open -= publisher.takeAcknowledgements() }
  }

  /// Waits until the broker has everything; answers how much it has not acknowledged.
  mutating func settle() -> Int {
    let endS = monotonicS() + 10
    while open > 0, monotonicS() < endS { open -= publisher.takeAcknowledgements(waitMS: 100) }
    return open
  }
}
