internal import Telemetry

/// A fence, and what is known of it.
struct WatchedFence: Equatable, Sendable {
  /// Where the node is.
  enum Side: Equatable {
    /// Not determined since the start; `record` is what an earlier run said.
    case unknown(record: LocationRecord.Fence?)
    case outside
    /// `since` is nil when the coming in was not seen.
    case inside(since: GeofenceEvent.Since?)
  }

  var fence: Geofence
  private var side: Side
  /// Fixes in a row that speak for the other side.
  private var evidence: CrossingEvidence?
  /// Since a gap no fix has said on which side the node is.
  private var isUnseen = false

  init(_ fence: Geofence, record: LocationRecord.Fence? = nil) {
    self.fence = fence
    side = .unknown(record: record)
  }

  /// Nil while it is not known.
  var isInside: Bool? {
    switch side {
    case .unknown: nil
    case .outside: false
    case .inside: true
    }
  }

  func record(clock: ClockState) -> LocationRecord.Fence? {
    switch side {
    case .unknown(let record): return record
    case .outside: return nil
    case .inside(let since):
      let time: WallTime? =
        switch since {
        case nil: nil
        case .instant(let instant): clock.quality == .none ? nil : clock.wall(at: instant)
        case .wall(let time): time
        }
      return LocationRecord.Fence(fence, since: time)
    }
  }

  /// Moves what is remembered back, by what the monotonic clock did not count [s]. A crossing that was not sure yet is
  /// seen anew, after a gap.
  mutating func age(by seconds: Double) {
    if case .inside(.instant(let since)?) = side { side = .inside(since: .instant(since - seconds)) }
    evidence = nil
  }

  mutating func take(_ fix: Fix, isMoving: Bool?, isAfterGap: Bool, at now: Instant) -> GeofenceEvent? {
    let distanceM = fence.edgeDistanceM(from: fix.coordinate)
    let isWithin = distanceM < 0
    if isAfterGap { isUnseen = true }
    if isWithin, case .unknown(let record?) = side {
      // The record and a fix agree: that is enough.
      side = .inside(since: record.since.map { .wall($0) })
    }
    let certainty = certainty(distanceM, accuracyM: fix.accuracy?.metres)
    guard isWithin != isInside, let certainty else {
      evidence = nil
      if certainty != nil { isUnseen = false }
      return nil
    }
    if evidence?.isForInside != isWithin {
      evidence = nil
      if isInside != nil, isMoving == false { return nil }
      evidence = CrossingEvidence(isForInside: isWithin, isAfterGap: isUnseen)
    }
    evidence?.add(certainty, at: fix.receivedAt)
    guard let evidence, evidence.isConvincing(certainty) else { return nil }
    self.evidence = nil
    isUnseen = false
    return cross(
      GeofenceEvent(
        fence: fence.name, isWithin ? .enter : .leave, isFirst: evidence.isAfterGap, fix: fix,
        edgeM: distanceM.magnitude, at: now))
  }

  /// How often the error of a fix fits between it and the edge; nil when it is too near to the edge to say anything.
  private func certainty(_ distanceM: Double, accuracyM: Double?) -> Double? {
    var marginM = accuracyM ?? fence.hysteresisM
    var errorM = accuracyM ?? fence.hysteresisM / CrossingEvidence.enough
    if distanceM < 0 {
      marginM = min(marginM, fence.depthM)
      errorM = min(errorM, fence.depthM)
    } else {
      marginM = max(marginM, fence.hysteresisM)
    }
    // A receiver that claims to be perfect, or no hysteresis and no accuracy.
    return distanceM.magnitude > marginM ? distanceM.magnitude / max(errorM, 0.001) : nil
  }

  /// Changes sides, and completes what is to be told; nil when that is nothing new.
  private mutating func cross(_ crossing: GeofenceEvent) -> GeofenceEvent? {
    var event = crossing
    let before = side
    switch (before, event.kind) {
    case (.unknown(let record), .leave):
      side = .outside
      guard let record else { return nil }
      event.isFirst = true
      event.insideSince = record.since.map { .wall($0) }
    case (.unknown, .enter):
      event.isFirst = true
      side = .inside(since: nil)
    case (_, .enter):
      side = .inside(since: event.isFirst ? nil : .instant(event.at))
    case (.inside(let since), .leave):
      side = .outside
      event.insideSince = since
    case (.outside, .leave): return nil
    }
    return event
  }
}

/// Fixes in a row that speak for one side of an edge.
struct CrossingEvidence: Equatable, Sendable {
  /// So many times its error the mean must be beyond the edge. With normal errors, one in 3.5 million is not there.
  static let enough = 5.0
  /// Fixes nearer in time than this have much the same error, and count as one [s].
  static let apartS = 0.5

  let isForInside: Bool
  /// Nothing was heard for long before the first of them.
  let isAfterGap: Bool
  private var sum = 0.0
  private var count = 0
  private var lastAt: Instant?

  init(isForInside: Bool, isAfterGap: Bool) {
    self.isForInside = isForInside
    self.isAfterGap = isAfterGap
  }

  /// - Parameter certainty: how often the error of a fix fits between it and the edge.
  mutating func add(_ certainty: Double, at now: Instant) {
    if let lastAt, now - lastAt < Self.apartS { return }
    lastAt = now
    sum += certainty
    count += 1
  }

  /// Whether the newest fix is enough by itself, or all of them together.
  func isConvincing(_ newest: Double) -> Bool {
    newest >= Self.enough || sum >= Self.enough * Double(count).squareRoot()
  }
}
