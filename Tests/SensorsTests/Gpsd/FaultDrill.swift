import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry

/// What goes wrong between a receiver and a node.
enum GpsdFault: String, CaseIterable, Sendable {
  /// The receiver falls silent. eclipse-kura/kura PR#3870: a loss was never told; berthubert/galmon#123: such receivers
  /// hang several times a week.
  case pause
  /// gpsd stands still (SIGSTOP).
  case hang
  /// The receiver is pulled out and put in again; gpsd is told of both. kismet#426: it stayed green.
  case unplug
  /// It is pulled out, gpsd is told only when it is back.
  case replug
  /// It is pulled out and comes back under its name, and nobody tells gpsd. taimos/GPSd4Java#34: silent for ever after.
  case relink
  /// gpsd ends in order and starts at once; then the same with SIGKILL; then its port stays closed for a while.
  /// home-assistant/core#73118, SignalK/signalk-server#1270: nothing came any more. taimos/GPSd4Java#24, #35: the
  /// second watch was wrong, and sockets were left.
  case restart, kill, down
  /// Noise instead of sentences.
  case garbage
  /// Every sentence ends in its middle.
  case cut
  /// The receiver repeats its last epoch. traccar/traccar#3292: it looked online.
  case `repeat`

  func isPossible(_ source: GpsdRig.Source) -> Bool {
    switch self {
    case .unplug, .replug: source != .tcp
    case .relink: source == .link
    default: true
    }
  }

  /// Whether the fix is lost by it, where it lasts.
  func losesFix(isLong: Bool) -> Bool {
    switch self {
    case .unplug, .replug, .relink, .down: true
    case .restart, .kill: false
    case .pause, .hang, .garbage, .cut, .repeat: isLong
    }
  }
}

/// A node that follows a receiver along a route by way of a real gpsd, and what it publishes when something goes wrong.
final class FaultDrill {
  let node: GpsdNode
  let rig: GpsdRig
  private let route = NMEARoute()
  private let player: RoutePlayer
  private let source: GpsdRig.Source
  private let settings: LocationTracker.Settings
  /// How often gpsd had to be told of a receiver that came back.
  private(set) var helped = 0

  /// - Throws: when there is no fix to begin with.
  init(_ source: GpsdRig.Source) throws {
    self.source = source
    settings = .drill
    rig = try GpsdRig(source, in: Workplace("drill"))
    node = GpsdNode(port: rig.port, settings)
    guard node.run(seconds: 15, until: \.isUp), rig.waitUntilOpen() else { throw RigError("gpsd does not open") }
    player = RoutePlayer(route, to: rig, rateHz: 5)
    guard node.run(seconds: 20, until: { $0.positions.count >= 3 }) else { throw RigError("no fix to begin with") }
  }

  deinit { player.stop() }

  /// Brings a fault about, ends it, and answers what was published wrongly or too late.
  func suffer(_ fault: GpsdFault, isLong: Bool = true, seed: UInt64 = 1) throws -> [String] {
    var problems: [String] = []
    node.forget()
    let begin = node.now
    try start(fault, seed: seed)
    if fault.losesFix(isLong: isLong) {
      let limit = settings.lostAfterS + 2
      node.run(seconds: begin + limit - node.now) { self.isRight(after: fault, $0) }
      if !isRight(after: fault, node) {
        problems.append("\(limit) s after it: \(node.story), expected \(reasons(of: fault))")
      }
      node.run(seconds: 0.3)
      let stays = node.isLost && node.losses.last.map(reasons(of: fault).contains) ?? false
      if !stays { problems.append("did not stay right: \(node.story)") }
    } else {
      node.run(seconds: 0.7)
    }
    let isLost = node.isLost
    try end(fault)
    let ended = Date().timeIntervalSince1970
    if fault == .relink { try helpAfterRelink() }
    // Not merely some position: one that the receiver found after the end.
    let isBack = node.run(seconds: 15) { self.isBack($0, since: ended) }
    if !isBack || node.isLost { problems.append("not back 15 s after its end: \(node.story)") }
    problems += inspect(wasLost: isLost, fault, isLong: isLong)
    return problems.map { "\(fault.rawValue)\(isLong ? "" : " (short)") on \(source): \($0)" }
  }

  private func isBack(_ node: GpsdNode, since moment: Double) -> Bool {
    node.positions.last?.fixTime.map { $0.seconds > moment } ?? false
  }

  /// A watch revives a receiver that came back, except where gpsd 3.22 missed its going: it then lists it as active and
  /// never reads it again while a client is there, and somebody has to tell it.
  private func helpAfterRelink() throws {
    let ended = Date().timeIntervalSince1970
    guard !node.run(seconds: 8, until: { self.isBack($0, since: ended) }), node.isLost else { return }
    helped += 1
    try rig.replug()
  }

  private func start(_ fault: GpsdFault, seed: UInt64) throws {
    switch fault {
    case .pause: player.become(.silent)
    case .hang: rig.hang()
    case .unplug: try rig.unplug(tellsGpsd: true)
    case .replug, .relink: try rig.unplug()
    case .restart: rig.stop()
    case .kill: rig.stop(signal: SIGKILL)
    case .down: rig.stop()
    case .garbage: player.become(.noisy(seed: seed))
    case .cut: player.become(.cutShort)
    case .repeat: player.become(.stuck)
    }
    if fault == .restart || fault == .kill { try rig.start() }
  }

  private func end(_ fault: GpsdFault) throws {
    switch fault {
    case .pause, .garbage, .cut, .repeat: player.become(.well)
    case .hang: rig.resume()
    case .unplug, .replug: try rig.replug()
    case .relink: try rig.replug(tellsGpsd: false)
    case .restart, .kill: break
    case .down: try rig.start()
    }
  }

  // MARK: What is right

  /// Why the fix may be said to be lost: what the evidence says, and nothing else.
  private func reasons(of fault: GpsdFault) -> Set<LocationMessage.Loss.Reason> {
    switch fault {
    case .hang, .down: [.gpsdGone]
    case .unplug: [.deviceGone]
    // gpsd finds out by itself or it does not.
    case .replug, .relink: [.stalled, .deviceGone]
    case .pause, .garbage, .cut, .repeat: [.stalled]
    case .restart, .kill: []
    }
  }

  private func isRight(after fault: GpsdFault, _ node: GpsdNode) -> Bool {
    guard node.isLost, let reason = node.losses.last, reasons(of: fault).contains(reason) else { return false }
    // Where it can be either, gpsd's own word decides.
    return fault != .replug && fault != .relink || reason == (node.saidDeviceGone ? .deviceGone : .stalled)
  }

  private func inspect(wasLost: Bool, _ fault: GpsdFault, isLong: Bool) -> [String] {
    var problems: [String] = []
    if !fault.losesFix(isLong: isLong), !node.losses.isEmpty, !wasSlow(fault) {
      problems.append("no loss expected: \(node.story)")
    }
    if wasLost, !node.positions.contains(where: { $0.cause == .regained }) { problems.append("never regained") }
    for position in node.positions {
      guard let time = position.fixTime?.seconds else {
        problems.append("a position without a time")
        continue
      }
      let actual = route.state(at: time - route.start.timeIntervalSince1970)
      guard let there = Coordinate(latitude: actual.latitude, longitude: actual.longitude),
        let published = Coordinate(latitude: position.latitude, longitude: position.longitude)
      else { continue }
      let awayM = published.distanceM(to: there)
      if awayM > 1 { problems.append("published a place \(awayM) m from where the receiver was") }
    }
    if sockets(connectedTo: rig.port) > 1 { problems.append("\(sockets(connectedTo: rig.port)) sockets to gpsd") }
    return problems
  }

  /// A gpsd that starts anew may take longer than a fix may be missing: on a busy machine, or where it has to find out
  /// what is behind a `link`. Then it was lost, and for as long as is told.
  private func wasSlow(_ fault: GpsdFault) -> Bool {
    guard fault == .restart || fault == .kill, let back = node.positions.first(where: { $0.cause == .regained }) else {
      return false
    }
    return node.losses == [.gpsdGone] && back.lostS.map { $0 >= settings.lostAfterS } ?? false
  }
}

extension LocationTracker.Settings {
  /// Impatient, yet not so much that a busy machine looks like a fault.
  static let drill: LocationTracker.Settings = {
    var settings = LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 3)
    settings.leastSilenceS = 3
    return settings
  }()
}

extension GpsdNode {
  /// What was published, for a failure's message.
  var story: [String] {
    let words = outputs.compactMap { output -> String? in
      let at = (output.at.seconds * 10).rounded() / 10
      switch output.content {
      case .fixed(let position): return position.cause == .distance ? nil : "\(position.cause.rawValue)@\(at)"
      case .lost(let loss): return "lost(\(loss.reason.rawValue))@\(at)"
      case .decided, .fence: return nil
      }
    }
    return words + ["now \((now.seconds * 10).rounded() / 10)"] + downs
  }

  /// Whether gpsd's last word on its receivers is that there is none.
  var saidDeviceGone: Bool {
    for input in inputs.reversed() {
      switch input {
      case .report(.devices(let list)): return !list.contains(where: \.isActivated)
      case .report(.device(let device)): return !device.isActivated
      case .report(.position): return false
      default: continue
      }
    }
    return false
  }
}

/// Runs a body that blocks on a thread of its own: the few threads that tests share stay free.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
