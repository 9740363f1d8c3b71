internal import Telemetry

/// Which of several receivers is followed: one, until another one has been clearly better for a while, or the one has
/// no usable fix any more.
struct DeviceChoice: Equatable, Sendable {
  /// So many are remembered; the one heard longest ago makes room.
  static let most = 8
  /// Clearly better for so long [s].
  static let holdS = 30.0
  /// Clearly better is 3 dimensions instead of 2, or an accuracy smaller by this factor.
  static let accuracyFactor = 2.0
  /// An epoch begins with less than it ends with: for so long it may look worse [s].
  static let lapseS = 3.0

  struct Heard: Equatable {
    var path: String
    var heardAt: Instant
    var fixAt: Instant?
    var dimensions = 0
    var accuracyM: Double?
    var betterSince: Instant?
    var betterAt: Instant?
  }

  private(set) var heard: [Heard] = []
  /// The one that is followed; nil before the first good fix, and for a receiver that gpsd does not name.
  private(set) var followed: String?

  /// Several have reported, so that a message must say which.
  var isSeveral: Bool { heard.count > 1 }

  /// Notes a report, and answers whether it comes from the receiver that is followed.
  ///
  /// - Parameter usable: it has a position that may be used.
  /// - Parameter isFollowedLost: the followed one has been without a usable fix for long, or is gone.
  /// - Parameter patienceS: so long it may be without a usable fix while another one has them [s].
  mutating func admits(
    _ report: GpsdPosition, usable: Bool, isFollowedLost: Bool, patienceS: Double = holdS, pinned: String?,
    at now: Instant
  ) -> Bool {
    guard let path = report.device else { return true }
    let index = note(report, path, usable: usable, at: now)
    if let pinned { return path == pinned }
    guard let followed, followed != path else { return true }
    if isFollowedLost { return true }
    compare(index, with: followed, usable: usable, at: now)
    let hasFollowedFix = heard.contains { $0.path == followed && $0.fixAt != nil }
    let neededS = hasFollowedFix ? DeviceChoice.holdS : min(patienceS, DeviceChoice.holdS)
    guard let since = heard[index].betterSince, now - since >= neededS,
      heard[index].betterAt == now
    else { return false }
    follow(path)
    return true
  }

  /// A fix of this receiver was used.
  mutating func follow(_ path: String?) {
    guard path != followed else { return }
    followed = path
    for index in heard.indices { heard[index].betterSince = nil }
  }

  /// Moves what was heard back, by what the monotonic clock did not count [s].
  mutating func age(by seconds: Double) {
    for index in heard.indices {
      heard[index].heardAt = heard[index].heardAt - seconds
      heard[index].fixAt = heard[index].fixAt.map { $0 - seconds }
      heard[index].betterSince = nil
      heard[index].betterAt = nil
    }
  }

  private mutating func note(_ report: GpsdPosition, _ path: String, usable: Bool, at now: Instant) -> Int {
    let index = heard.firstIndex { $0.path == path } ?? add(path, at: now)
    heard[index].heardAt = now
    if usable {
      heard[index].fixAt = now
      heard[index].dimensions = min(report.mode, 3)
      heard[index].accuracyM = report.horizontalAccuracyM ?? heard[index].accuracyM
    } else {
      heard[index].fixAt = nil
      heard[index].dimensions = 0
      heard[index].accuracyM = nil
    }
    return index
  }

  private mutating func add(_ path: String, at now: Instant) -> Int {
    if heard.count >= DeviceChoice.most {
      let others = heard.indices.filter { heard[$0].path != followed }
      if let oldest = others.min(by: { heard[$0].heardAt < heard[$1].heardAt }) { heard.remove(at: oldest) }
    }
    heard.append(Heard(path: path, heardAt: now))
    return heard.count - 1
  }

  private mutating func compare(_ index: Int, with followed: String, usable: Bool, at now: Instant) {
    if let last = heard[index].betterAt, now - last > DeviceChoice.lapseS { heard[index].betterSince = nil }
    guard usable, let other = heard.first(where: { $0.path == followed }), isBetter(heard[index], than: other) else {
      return
    }
    heard[index].betterAt = now
    if heard[index].betterSince == nil { heard[index].betterSince = now }
  }

  private func isBetter(_ one: Heard, than other: Heard) -> Bool {
    if one.dimensions != other.dimensions { return one.dimensions > other.dimensions }
    guard let accuracyM = one.accuracyM, let otherM = other.accuracyM else { return false }
    return accuracyM * DeviceChoice.accuracyFactor <= otherM
  }
}
