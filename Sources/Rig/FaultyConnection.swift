internal import Foundation

/// One connection of a `FaultyProxy`, with what is under way in either direction.
final class FaultyConnection {
  enum Fate {
    case alive
    case over
    case reset
  }

  let client: Int32
  let server: Int32
  private let resetAtS: Double?
  private var toServer: FaultyWay
  private var toClient: FaultyWay
  /// Bytes handed on to the server in the last step.
  private(set) var newBytesToServer = 0

  /// - Parameter resetAtS: when its time has come; nil: never.
  init(client: Int32, server: Int32, resetAtS: Double?) {
    self.client = client
    self.server = server
    self.resetAtS = resetAtS
    toServer = FaultyWay(from: client, to: server)
    toClient = FaultyWay(from: server, to: client)
  }

  /// For poll(2): what has to happen at either socket before there is something to do.
  func entries(_ faults: FaultyProxy.Faults, atS now: Double) -> [pollfd] {
    let pairs = [
      (client, toServer.reads(faults.toServer), toClient.isBlocked(atS: now)),
      (server, toClient.reads(faults.toClient), toServer.isBlocked(atS: now)),
    ]
    return pairs.map { descriptor, reads, writes in
      // A socket nobody waits for is left out: poll would tell of its end without being asked.
      pollfd(
        fd: reads || writes ? descriptor : -1, events: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), revents: 0)
    }
  }

  /// When there is something to do whatever happens at the sockets.
  func nextS(_ faults: FaultyProxy.Faults) -> Double? {
    [resetAtS, toServer.nextS(faults.toServer), toClient.nextS(faults.toClient)].compactMap { $0 }.min()
  }

  func step(
    _ faults: FaultyProxy.Faults, atS now: Double, _ random: inout SeededRandom,
    _ statistics: inout FaultyProxy.Statistics
  ) -> Fate {
    if let resetAtS, now >= resetAtS { return .reset }
    let there = toServer.step(faults.toServer, atS: now, &random)
    let back = toClient.step(faults.toClient, atS: now, &random)
    newBytesToServer = there.passed
    statistics.sentByClient += there.taken
    statistics.sentByServer += back.taken
    statistics.passedToServer += there.passed
    statistics.passedToClient += back.passed
    if there.isBroken || back.isBroken { return .reset }
    return toServer.isOver && toClient.isOver ? .over : .alive
  }

  func close() {
    Glibc.close(client)
    Glibc.close(server)
  }

  func reset() {
    Loopback.reset(client)
    Loopback.reset(server)
  }
}

/// One direction of a connection.
struct FaultyWay {
  /// What one step has done.
  struct Step {
    var taken = 0
    var passed = 0
    /// The connection is to be reset: by chance, or because a side did so.
    var isBroken = false
  }

  /// More than this is not held back here [bytes]; the rest waits at its sender.
  private static let capacity = 65_536
  /// A slow way takes a packet at a time [bytes].
  private static let packet = 1460

  private let source: Int32
  private let sink: Int32
  private var chunks: [(dueS: Double, bytes: [UInt8])] = []
  private var held = 0
  /// When what was taken last is through.
  private var freeAtS = 0.0
  private var hasEnded = false
  private var hasLost = false
  private var isCut = false
  private var isBlockedNow = false
  /// The end was handed on, or never will be.
  private(set) var isOver = false

  init(from source: Int32, to sink: Int32) {
    self.source = source
    self.sink = sink
  }

  func reads(_ way: FaultyProxy.Way) -> Bool {
    !hasEnded && !isCut && (hasLost || way.flow != .stalled) && held < FaultyWay.capacity
  }

  /// What is due waits for the sink.
  func isBlocked(atS now: Double) -> Bool { isBlockedNow && chunks.first.map { $0.dueS <= now } ?? false }

  /// When the next bytes are due; nil when nothing is, or the sink has to say so.
  func nextS(_ way: FaultyProxy.Way) -> Double? {
    isBlockedNow || way.flow != .passing || isOver ? nil : chunks.first?.dueS
  }

  mutating func step(_ way: FaultyProxy.Way, atS now: Double, _ random: inout SeededRandom) -> Step {
    var step = Step()
    if reads(way) { take(way, atS: now, &random, &step) }
    if !step.isBroken { pass(way, atS: now, &step) }
    return step
  }

  private mutating func take(
    _ way: FaultyProxy.Way, atS now: Double, _ random: inout SeededRandom, _ step: inout Step
  ) {
    var buffer = [UInt8](repeating: 0, count: way.bytesPerS == nil ? 16_384 : FaultyWay.packet)
    let count = recv(source, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0 {
      guard errno != EAGAIN, errno != EINTR else { return }
      // A reset does not come through a hole.
      if way.flow == .swallowing || hasLost { hasEnded = true } else { step.isBroken = true }
      isOver = true
      return
    }
    if way.flow == .swallowing, !hasLost {
      hasLost = true
      chunks = []
      held = 0
    }
    if count == 0 {
      hasEnded = true
      if hasLost { isOver = true }
      return
    }
    step.taken = count
    if hasLost { return }
    let bytes = chance(way.cut, buffer[0], &random) ? Int.random(in: 0..<count, using: &random) : count
    isCut = bytes < count
    let lateS = way.delayS + (way.jitterS > 0 ? Double.random(in: -way.jitterS...way.jitterS, using: &random) : 0)
    // Bytes never overtake each other.
    freeAtS = max(freeAtS, now + max(0, lateS)) + (way.bytesPerS.map { Double(bytes) / $0 } ?? 0)
    chunks.append((freeAtS, Array(buffer.prefix(bytes))))
    held += bytes
  }

  private func chance(_ cut: FaultyProxy.Cut, _ first: UInt8, _ random: inout SeededRandom) -> Bool {
    switch cut {
    case .never: return false
    case .chunks(let chance): return Double.random(in: 0..<1, using: &random) < chance
    case .publishes(let chance): return first >> 4 == 3 && Double.random(in: 0..<1, using: &random) < chance
    }
  }

  private mutating func pass(_ way: FaultyProxy.Way, atS now: Double, _ step: inout Step) {
    guard way.flow == .passing, !isOver else { return }
    isBlockedNow = false
    while let chunk = chunks.first, chunk.dueS <= now {
      let count = chunk.bytes.withUnsafeBytes {
        send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if count < 0, errno == EAGAIN {
        isBlockedNow = true
        return
      }
      guard count >= 0 else {
        step.isBroken = true
        return
      }
      step.passed += count
      held -= count
      if count < chunk.bytes.count {
        chunks[0].bytes = Array(chunk.bytes.dropFirst(count))
      } else {
        chunks.removeFirst()
      }
    }
    guard chunks.isEmpty else { return }
    if isCut { step.isBroken = true }
    if hasEnded {
      shutdown(sink, Int32(SHUT_WR))
      isOver = true
    }
  }
}
