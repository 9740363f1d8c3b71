internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// Puts the client of gpsd on the loop.
final class GpsdInlet {
  private let loop: EventLoop
  private let client: GpsdClient
  private let take: (GpsdInput) -> Void
  private var timer: EventLoop.Timer?
  private var watched: (descriptor: Int32, readiness: Readiness)?

  init(_ address: NodeConfiguration.GpsdAddress, loop: EventLoop, take: @escaping (GpsdInput) -> Void) {
    self.loop = loop
    self.take = take
    client = GpsdClient(host: address.host, port: UInt16(clamping: address.port), settings: address.session)
    timer = loop.timer { [unowned self] now in hand(client.tick(at: now)) }
    timer?.deadline = loop.clock.now()
  }

  func stop() {
    if let watched { loop.unwatch(watched.descriptor) }
    if let timer { loop.remove(timer) }
    watched = nil
    timer = nil
  }

  private func handle(_ readiness: Readiness) {
    let now = loop.clock.now()
    if readiness.contains(.writable) { hand(client.handleWritable(at: now)) }
    if !readiness.isDisjoint(with: [.readable, .closed]) { hand(client.handleReadable(at: now)) }
  }

  private func hand(_ inputs: [GpsdInput]) {
    refresh()
    for input in inputs { take(input) }
  }

  /// Waits for what the client wants now. At once after each call: it closes descriptors by itself.
  private func refresh() {
    guard timer != nil else { return }
    timer?.deadline = client.nextDeadline
    var readiness: Readiness = []
    if client.wantsRead { readiness.insert(.readable) }
    if client.wantsWrite { readiness.insert(.writable) }
    if let watched, watched.descriptor != client.descriptor { loop.unwatch(watched.descriptor) }
    guard let descriptor = client.descriptor else {
      watched = nil
      return
    }
    if let watched, watched == (descriptor, readiness) { return }
    // Anew, even under the same number: a socket that was closed and one opened since share it.
    loop.watch(descriptor, for: readiness) { [unowned self] in handle($0) }
    watched = (descriptor, readiness)
  }
}
