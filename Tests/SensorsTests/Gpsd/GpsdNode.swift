import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry

/// A client and a tracker in a poll loop, as a node runs them, with all that was said and published.
final class GpsdNode {
  let client: GpsdClient
  private(set) var tracker: LocationTracker
  private(set) var inputs: [GpsdInput] = []
  private(set) var outputs: [LocationOutput] = []
  private(set) var wakes = 0
  private let origin = DispatchTime.now().uptimeNanoseconds

  init(
    port: Int, host: String = "127.0.0.1", session: GpsdSession.Settings = .quick, _ settings: LocationTracker.Settings
  ) {
    client = GpsdClient(host: host, port: UInt16(port), settings: session)
    tracker = LocationTracker(settings)
  }

  var now: Instant { Instant(seconds: Double(DispatchTime.now().uptimeNanoseconds - origin) * 1e-9) }

  /// Runs until `condition` holds; false when it does not within `seconds`.
  @discardableResult
  func run(seconds: Double, until condition: (GpsdNode) -> Bool = { _ in false }) -> Bool {
    let end = now + seconds
    while now < end {
      step(until: end)
      if condition(self) { return true }
    }
    return condition(self)
  }

  /// What came is looked at before time is: on a busy machine both wait, and neither is to be mistaken for silence.
  private func step(until end: Instant) {
    let due = [end, client.nextDeadline, tracker.nextDeadline ?? end].min() ?? end
    let milliseconds = Int32(min(max((due - now) * 1000, 0), 10_000).rounded(.up))
    let events = (client.wantsRead ? Int16(POLLIN) : 0) | (client.wantsWrite ? Int16(POLLOUT) : 0)
    var poller = pollfd(fd: client.descriptor ?? -1, events: events, revents: 0)
    wakes += 1
    if poll(&poller, 1, milliseconds) > 0 {
      if poller.revents & Int16(POLLOUT) != 0 { take(client.handleWritable(at: now)) }
      if poller.revents & ~Int16(POLLOUT) != 0 { take(client.handleReadable(at: now)) }
    }
    take(client.tick(at: now))
    keep(tracker.tick(at: now))
  }

  /// Lets go of what was said and published, but for the last of each.
  func forget() {
    inputs.removeFirst(max(inputs.count - 1, 0))
    outputs.removeFirst(max(outputs.count - 1, 0))
  }

  private func take(_ new: [GpsdInput]) {
    inputs += new
    for input in new { keep(tracker.handle(input, at: now)) }
  }

  private func keep(_ new: [LocationOutput]) { outputs += new.filter(\.isMessage) }

  // MARK: What happened

  var isUp: Bool { links.last.map { if case .up = $0 { true } else { false } } ?? false }

  var links: [GpsdLink] { inputs.compactMap { if case .link(let link) = $0 { link } else { nil } } }

  var downs: [String] { links.compactMap { if case .down(let reason) = $0 { reason } else { nil } } }

  var errors: [String] { inputs.compactMap { if case .report(.error(let text)) = $0 { text } else { nil } } }

  var reports: [GpsdPosition] {
    inputs.compactMap { if case .report(.position(let report)) = $0 { report } else { nil } }
  }

  var positions: [LocationMessage.Position] {
    outputs.compactMap { if case .fixed(let position) = $0.content { position } else { nil } }
  }

  var losses: [LocationMessage.Loss.Reason] {
    outputs.compactMap { if case .lost(let loss) = $0.content { loss.reason } else { nil } }
  }

  /// Whether the last message of the location stream is a loss.
  var isLost: Bool {
    for output in outputs.reversed() {
      if case .lost = output.content { return true }
      if case .fixed = output.content { return false }
    }
    return false
  }
}

extension GpsdSession.Settings {
  /// Impatient, so that tests need not wait.
  static let quick: GpsdSession.Settings = {
    var settings = GpsdSession.Settings()
    settings.connectS = 2
    settings.bannerS = 1
    settings.echoS = 2.5
    settings.answerS = 1
    settings.silenceS = 0.9
    settings.devicesAfterWatchS = 0.5
    settings.longestSilenceS = 2
    settings.backoffS = 0.05
    settings.longestBackoffS = 0.3
    settings.stableS = 0.2
    return settings
  }()
}

extension LocationTracker.Settings {
  /// Every report decided on at once, every fix published, every change to none a loss. No gate: what real receivers
  /// sent in hours comes in a second.
  static let everything: LocationTracker.Settings = {
    var settings = LocationTracker.Settings(distanceFilterM: 0, maxAccuracyM: 0, lostAfterS: 0)
    settings.settleS = 0
    settings.maxSpeedMPS = 0
    settings.maxAccelerationMPS2 = 0
    // Recordings are replayed faster than they were made.
    settings.maxSpeedMPS = 0
    settings.maxAccelerationMPS2 = 0
    return settings
  }()

  static let quick = LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 1)
}

/// How many sockets of this process are connected to a port: getpeername(2).
func sockets(connectedTo port: Int) -> Int {
  let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
  return links.compactMap { Int32($0) }.count { descriptor in
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
    }
    return result == 0 && address.sin_family == sa_family_t(AF_INET) && Int(address.sin_port.bigEndian) == port
  }
}
