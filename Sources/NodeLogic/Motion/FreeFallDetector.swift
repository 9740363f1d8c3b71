public import Telemetry

/// A free fall.
public struct FreeFallEvent: Equatable, Sendable {
  /// Counts from 1.
  public var id: Int
  /// When it was decided: at its end, or when it had lasted so long that it was told before.
  public var at: Instant
  public var start: Instant
  /// How long it lasted, or had lasted when it was told [s]. Known to about one sampling period.
  public var durationS: Double

  public init(id: Int, at: Instant, start: Instant, durationS: Double) {
    self.id = id
    self.at = at
    self.start = start
    self.durationS = durationS
  }

  /// How deep something falls in that time from rest, in vacuum, `g t^2 / 2` [m]. What was thrown upwards fell less.
  public var dropM: Double { 0.5 * standardGravity * durationS * durationS }

  /// The event as it is published.
  public func message(clock: ClockState, place: Place? = nil) -> FreeFallMessage {
    FreeFallMessage(id: id, start: clock.wall(at: start), durationS: durationS, dropM: dropM, place: place)
  }
}

/// Finds free falls in a stream of samples, one at a time: nothing is felt, gravity included.
///
/// A fall begins below a level, and ends 0.1 g above it, so that a gust or a turn does not end it. Its moments lie half
/// way between the samples that show them. A fall is believed when its samples differ from each other: a sensor that
/// has died, and says zero for ever, does not fall.
public struct FreeFallDetector: Equatable, Sendable {
  private static let hysteresisG = 0.1
  /// Samples further apart do not belong together [s].
  private static let maxGapS = 0.25
  /// What hits so soon after a fall hits because of it [s]. Its rise may begin before the sample that ends the fall.
  private static let landingS = -0.05...0.5

  private struct Fall: Equatable {
    var start: Double
    /// The first sample, to which the others are compared.
    var first: Vector
    var isAlive = false
    var isTold = false
  }

  private struct Past: Equatable {
    var start: Double
    var end: Double
  }

  /// As they were given.
  public let settings: FreeFallSettings
  /// The number of the newest fall; 0 before the first.
  public private(set) var lastID: Int
  private var time: Double?
  private var fall: Fall?
  /// The newest fall that ended, and the one before: what bounces falls again before its first impact is told.
  private var last: Past?
  private var secondLast: Past?

  /// - Parameter lastID: the number of the last fall before; the first is numbered one more.
  public init(_ settings: FreeFallSettings = FreeFallSettings(), after lastID: Int = 0) {
    self.settings = settings
    self.lastID = lastID
  }

  /// Nothing is felt just now, perhaps not for long enough to be a fall.
  public var isFalling: Bool { fall != nil }

  /// Takes the next sample, and answers the fall that it decides, if any. One whose time does not rise is not used.
  public mutating func feed(_ sample: Sample) -> FreeFallEvent? {
    let now = sample.at.seconds
    guard let before = time else {
      time = now
      return nil
    }
    guard now > before else { return nil }
    time = now
    let feltG2 = sample.g.squaredLength
    // Nearly every sample of a node's life.
    if fall == nil, feltG2 >= settings.levelG * settings.levelG { return nil }
    guard now - before <= Self.maxGapS else {
      fall = nil
      return nil
    }
    guard var current = fall else {
      fall = Fall(start: 0.5 * (before + now), first: sample.g)
      return nil
    }
    let endG = settings.levelG + Self.hysteresisG
    guard feltG2 < endG * endG else {
      fall = nil
      return end(current, at: 0.5 * (before + now), decided: now)
    }
    if sample.g != current.first { current.isAlive = true }
    defer { fall = current }
    guard !current.isTold, current.isAlive, now - current.start >= settings.maxS else { return nil }
    current.isTold = true
    return event(current, untilS: now, decided: now)
  }

  /// Tells that samples are missing here: a fall that is not over is forgotten, because nobody saw its end.
  public mutating func interrupt() {
    fall = nil
    time = nil
  }

  /// How long it fell before something that began at `start` [s]; nil where no fall ended just before.
  public func fallS(before start: Instant) -> Double? {
    [last, secondLast].lazy.compactMap { $0 }.first { Self.landingS.contains(start.seconds - $0.end) }
      .map { $0.end - $0.start }
  }
}

extension FreeFallDetector {
  private mutating func end(_ fall: Fall, at end: Double, decided now: Double) -> FreeFallEvent? {
    guard fall.isAlive, end - fall.start >= settings.minS else { return nil }
    secondLast = last
    last = Past(start: fall.start, end: end)
    return fall.isTold ? nil : event(fall, untilS: end, decided: now)
  }

  private mutating func event(_ fall: Fall, untilS: Double, decided now: Double) -> FreeFallEvent {
    lastID += 1
    return FreeFallEvent(
      id: lastID, at: Instant(seconds: now), start: Instant(seconds: fall.start), durationS: untilS - fall.start)
  }
}
