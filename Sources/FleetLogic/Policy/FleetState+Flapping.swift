internal import Telemetry

/// Alerts that come and go: told once as that, and then as one until they have been calm.
extension FleetState {
  /// When an alert counts as one that comes and goes.
  public struct Flapping: Equatable, Sendable {
    /// So many times within `windowS`; 0: never.
    public var count = 5
    /// See `count` [s].
    public var windowS = 3600.0
    /// After so long without a change it is calm [s].
    public var calmS = 1800.0

    public init() {}
  }

  /// Notes that an alert fired. Answers whether it counts from now on as one that comes and goes.
  mutating func noteRaise(_ key: AlertKey, at moment: Moment) -> Bool {
    let settings = configuration.flapping
    guard settings.count > 0, !configuration.rules[key.rule].kind.isEvent, var record = records[key] else {
      return false
    }
    record.memory.raises.removeAll { moment.instant - $0 > settings.windowS }
    record.memory.raises.append(moment.instant)
    if record.memory.raises.count > settings.count { record.memory.raises.removeFirst() }
    record.memory.flap?.changed = moment.instant
    let begins = record.memory.flap == nil && record.memory.raises.count >= settings.count
    if begins {
      record.memory.flap = RuleMemory.Flap(id: record.id ?? "", since: record.since, changed: moment.instant)
    }
    put(key, record)
    // One that nobody was told of may be news now.
    if record.memory.flap?.isTold == false { restless.insert(key) }
    if begins { beginFlap(key, record, at: moment) }
    return begins
  }

  private mutating func beginFlap(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) {
    let settings = configuration.flapping
    let reason = "it fired \(record.memory.raises.count) times within \(Age.text(settings.windowS))"
    decide(.flapping, key, record, reason, at: moment)
    var changed = record
    changed.memory.flap?.isTold = false
    changed.notice.mute = Mute(.flapping, "it comes and goes")
    put(key, changed)
    if let mute = muteOfFlap(key, record, at: moment) {
      decide(.muted, key, changed, mute.reason, at: moment)
    } else {
      tellFlap(key, changed, at: moment)
    }
    publishFiring(key, at: moment)
  }

  /// What keeps people from hearing that it comes and goes. Whether others follow is no reason to wait: it has done
  /// so for long enough.
  private func muteOfFlap(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Mute? {
    let mute = mute(key, record, at: moment)
    return mute?.cause == .waiting ? nil : mute
  }

  /// Tells that it comes and goes, where nobody was told yet and nothing is in the way any more.
  mutating func tellFlap(_ key: AlertKey, _ before: AlertRecord, at moment: Moment) {
    guard before.memory.flap?.isTold == false, before.life.isFiring,
      muteOfFlap(key, before, at: moment) == nil
    else { return }
    var record = before
    record.memory.flap?.isTold = true
    record.notice.sinks = configuration.rules[key.rule].sinks
    put(key, record)
    let times = "it fired \(record.memory.raises.count) times within \(Age.text(configuration.flapping.windowS))"
    tell(key, record, .flapping, previous: .firing, times, at: moment)
  }

  /// Notes that one that comes and goes went.
  mutating func noteFlap(_ key: AlertKey, at moment: Moment) {
    guard var record = records[key] else { return }
    record.memory.flap?.changed = moment.instant
    put(key, record)
    decide(.muted, key, record, "it comes and goes", at: moment)
    publishFiring(key, at: moment)
  }

  /// It has been calm for long enough: what it is now is told.
  mutating func endFlap(_ key: AlertKey, at moment: Moment) {
    guard var record = records[key], let flap = record.memory.flap else { return }
    let reason = "it has not changed for \(Age.text(configuration.flapping.calmS))"
    record.memory.raises = []
    decide(.calm, key, record, reason, at: moment)
    if record.life.isFiring {
      record.memory.flap = nil
      record.id = flap.id
      // Who heard that it comes and goes hears of its end, even if nobody is told of it now.
      record.notice.isTold = flap.isTold
      record.notice.isToldAsFlapping = flap.isTold
      put(key, record)
      return tellFiring(key, previous: .flapping, reason, at: moment)
    }
    let over = alert(key, record, .resolved, previous: .flapping, reason, at: moment)
    let isTold = flap.isTold
    if isTold { tell(key, record, .resolved, previous: .flapping, reason, at: moment) }
    record.memory.flap = nil
    put(key, record)
    publishOver(key, over, isTold: isTold)
  }
}
