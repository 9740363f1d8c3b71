internal import Telemetry

/// What speaks for there being no position, and for which reason.
struct LossEvidence: Equatable, Sendable {
  typealias Reason = LocationMessage.Loss.Reason

  /// What the last report of a position said.
  enum Heard: Equatable {
    case fix
    case noFix
    case simulated
    case rejected
  }

  private(set) var isLinkUp = false
  /// Since when gpsd has been there, or the last report of a position.
  private(set) var quietSince = Instant.start
  private var heard: Heard?
  /// The devices that gpsd has; nil before it said so.
  private var devices: Set<String>?

  mutating func link(_ link: GpsdLink, at now: Instant) {
    switch link {
    case .down:
      isLinkUp = false
      devices = nil
    // gpsd lists its devices before it says that it watches, which is when the link is up: the list holds.
    case .up: isLinkUp = true
    }
    heard = nil
    quietSince = now
  }

  mutating func hear(_ what: Heard, from device: String?, at now: Instant) {
    heard = what
    quietSince = now
    // A device that reports is there, whatever was said about it.
    if let count = devices?.count, count < 64 { devices?.insert(device ?? "") }
  }

  /// The machine was suspended until now: what was said before has no weight any more, and nobody was silent.
  mutating func wake(at now: Instant) {
    heard = nil
    quietSince = now
  }

  mutating func list(_ found: [GpsdDevice]) {
    devices = Set(found.prefix(64).filter(\.isActivated).map { $0.path ?? "" })
  }

  mutating func change(_ device: GpsdDevice) {
    var known = devices ?? []
    if !device.isActivated {
      known.remove(device.path ?? "")
    } else if known.count < 64 {
      known.insert(device.path ?? "")
    }
    devices = known
  }

  func has(_ device: String?) -> Bool {
    guard let devices else { return true }
    return device.map(devices.contains) ?? !devices.isEmpty
  }

  /// Why there is no position, as far as is known at `now`; nil while nothing was heard for too short a time to say.
  func reason(at now: Instant, _ settings: LocationTracker.Settings) -> Reason? {
    if !isLinkUp { return .gpsdGone }
    if !has(settings.device) { return .deviceGone }
    if now >= quietSince + settings.silenceS { return .stalled }
    switch heard {
    case nil: return nil
    case .noFix: return .noFix
    case .simulated: return .simulated
    case .rejected: return .rejected
    // Fixes come and are not new: the receiver repeats itself.
    case .fix: return .stalled
    }
  }

  /// When the answer of `reason` changes by time alone; nil when it does not.
  func nextChange(_ settings: LocationTracker.Settings) -> Instant? {
    isLinkUp && has(settings.device) ? quietSince + settings.silenceS : nil
  }
}

extension LossEvidence.Reason {
  /// The receiver said so itself, in a report; the others are told from something that does not come.
  var isReported: Bool {
    switch self {
    case .noFix, .simulated, .rejected: true
    case .stalled, .deviceGone, .gpsdGone: false
    }
  }
}
