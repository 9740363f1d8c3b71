internal import Foundation

/// The thread of a `FaultyProxy`: one poll(2) for the listener and all connections.
struct FaultyProxyEngine {
  /// Looks into what is shared with the outside; false when it is over.
  typealias Look = ((inout FaultyProxy.Shared) -> Void) -> Bool

  /// The kernel's buffers [bytes]: small, so that a slow way is felt by who sends.
  private static let kernelBuffer: Int32 = 32_768

  private let port: Int
  private let target: Int
  private let wakeUp: WakePipe
  private var random: SeededRandom
  private var listener: Int32 = -1
  private var connections: [FaultyConnection] = []
  private var faults = FaultyProxy.Faults()
  private var statistics = FaultyProxy.Statistics()
  /// Bytes until a reset that was asked for; nil: none was.
  private var resetAfter: Int?

  init(port: Int, target: Int, seed: UInt64, wakeUp: WakePipe) {
    self.port = port
    self.target = target
    self.wakeUp = wakeUp
    random = SeededRandom(seed: seed)
  }

  mutating func listen() throws {
    listener = try Loopback.listen(port: port, backlog: 1024)
    var size = FaultyProxyEngine.kernelBuffer
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, 4)
    setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &size, 4)
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
  }

  /// Everything but the waiting happens inside `look`: who changes the faults knows them to hold when that returns.
  mutating func run(_ look: Look) {
    while look({ work(&$0) }) { wait() }
    if listener >= 0 { close(listener) }
    for connection in connections { connection.close() }
  }

  private mutating func work(_ shared: inout FaultyProxy.Shared) {
    faults = shared.faults
    heedArrivals()
    for command in shared.commands { carryOut(command) }
    shared.commands = []
    serve()
    accept()
    shared.statistics = statistics
  }

  private mutating func heedArrivals() {
    if faults.arrivals == .refused, listener >= 0 {
      close(listener)
      listener = -1
    } else if faults.arrivals != .refused, listener < 0 {
      try? listen()
    }
  }

  private mutating func carryOut(_ command: FaultyProxy.Command) {
    switch command {
    case .reset:
      for connection in connections { connection.reset() }
      statistics.resets += connections.count
      connections = []
    case .resetAfter(let bytes): resetAfter = bytes
    case .endOf(let direction):
      for connection in connections {
        shutdown(direction == .toServer ? connection.server : connection.client, Int32(SHUT_WR))
      }
    }
  }

  private func wait() {
    let nowS = FaultyProxyEngine.nowS()
    var entries = [
      pollfd(fd: wakeUp.reader, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
    ]
    var nextS = nowS + 1
    for connection in connections {
      entries += connection.entries(faults, atS: nowS)
      nextS = min(nextS, connection.nextS(faults) ?? nextS)
    }
    poll(&entries, nfds_t(entries.count), Int32(max(0, (nextS - nowS) * 1000).rounded(.up)))
    if entries[0].revents != 0 { wakeUp.clear() }
  }

  private mutating func serve() {
    let nowS = FaultyProxyEngine.nowS()
    connections = connections.filter { connection in
      var fate = connection.step(faults, atS: nowS, &random, &statistics)
      if let rest = resetAfter {
        let left = rest - connection.newBytesToServer
        resetAfter = left
        if left <= 0 {
          resetAfter = nil
          fate = .reset
        }
      }
      switch fate {
      case .alive: return true
      case .over: connection.close()
      case .reset:
        statistics.resets += 1
        connection.reset()
      }
      return false
    }
  }

  private mutating func accept() {
    while listener >= 0 {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      statistics.connections += 1
      guard faults.arrivals == .taken, let server = Loopback.connect(port: target) else {
        Loopback.reset(client)
        continue
      }
      var yes: Int32 = 1
      setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
      let resetS = faults.resetMeanS.map { -log(1 - Double.random(in: 0..<1, using: &random)) * $0 }
      connections.append(
        FaultyConnection(client: client, server: server, resetAtS: resetS.map { FaultyProxyEngine.nowS() + $0 }))
    }
  }

  /// Seconds of CLOCK_MONOTONIC.
  static func nowS() -> Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }
}
