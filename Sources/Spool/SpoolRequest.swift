/// What the spool is asked to do. Requests are carried out in their order.
public enum SpoolRequest: Equatable, Sendable {
  /// Keeps an event. Answered by `stored`, `notStored` or, when it had to be given up at once, by `evicted`.
  ///
  /// - Parameter bornAtS: when it was measured [s since 1970]; nil while the calendar is not known.
  case append(SpoolRecord, bornAtS: Double?)
  /// Asks for events that are kept. Answered by `fetched`.
  case fetch(SpoolFetch)
  /// These events have arrived, as far as they are kept: they are forgotten. Numbers that are not kept are passed over.
  case release(boot: UInt32, ClosedRange<UInt64>)
  /// A fleet tool has acknowledged this node: kept for the runs to come (`SpoolContents.fleetAcknowledges`).
  case fleetAcknowledges
  /// Takes other limits; what is beyond them is given up at once.
  case configure(SpoolLimits)
  /// What to add to `atS` to get seconds since 1970; nil while the calendar is not known: nothing is given up by age.
  case clock(offsetS: Double?)
  /// Brings everything to the disk and ends. Answered by `stopped`; nothing is taken any more.
  case stop
}

/// A request for events: those that nobody has released, in the order of `SpoolPosition`.
public struct SpoolFetch: Equatable, Sendable {
  /// Comes back with the answer.
  public var id: UInt64
  /// The waveforms, or everything but them.
  public var isWaveform: Bool
  /// Only what comes after this; nil: from the beginning.
  ///
  /// An event that could not be stored at first and was offered again later may have a place before one that was
  /// fetched already: who has reached the end begins anew when `SpoolState` counts more than it knows of.
  public var after: SpoolPosition?
  /// At most so many events, and so many bytes of payload, but one event at least where there is one.
  public var limit: Int
  public var limitBytes: Int

  public init(id: UInt64, isWaveform: Bool, after: SpoolPosition?, limit: Int, limitBytes: Int) {
    self.id = id
    self.isWaveform = isWaveform
    self.after = after
    self.limit = limit
    self.limitBytes = limitBytes
  }
}

/// How much is kept, and for how long.
public struct SpoolLimits: Equatable, Sendable {
  /// The least `capBytes` that is followed.
  public static let smallestCapBytes = 65_536

  /// Bytes of everything in the folder; less than `smallestCapBytes` counts as that.
  public var capBytes: Int
  /// The age at which events are given up [s]; nil: none.
  public var capAgeS: Double?

  /// - Parameters: as the properties.
  public init(capBytes: Int, capAgeS: Double?) {
    self.capBytes = max(SpoolLimits.smallestCapBytes, capBytes)
    self.capAgeS = capAgeS
  }

  /// The size at which a segment is ended [bytes]: an outage gives up events in portions of this.
  public var segmentBytes: Int { min(262_144, max(16_384, capBytes / 16)) }
}
