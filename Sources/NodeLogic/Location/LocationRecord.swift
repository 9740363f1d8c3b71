public import Telemetry

/// What a node keeps of its location over a restart: a small JSON file.
public struct LocationRecord: Equatable, Sendable {
  /// A fence that the node was inside of.
  public struct Fence: Equatable, Sendable {
    /// As messages name it.
    public var name: String
    /// Of the area; a fence that was moved since is another one.
    public var fingerprint: UInt64
    /// Since when; nil when its coming in was not seen or the clock was worth nothing.
    public var since: WallTime?

    /// What is to be kept of a fence that the node is inside of.
    public init(_ fence: Geofence, since: WallTime?) {
      name = fence.name
      fingerprint = fence.fingerprint
      self.since = since
    }

    fileprivate init(name: String, fingerprint: UInt64, since: WallTime?) {
      self.name = name
      self.fingerprint = fingerprint
      self.since = since
    }

    func isOf(_ fence: Geofence) -> Bool { name == fence.name && fingerprint == fence.fingerprint }
  }

  /// The run that wrote it.
  public var boot: BootID
  /// Distances travelled.
  public var odometer: Odometer
  /// The fences that the node was inside of.
  public var fences: [Fence]
  /// When it was written, which is when something in it changed last; nil when the clock was worth nothing.
  public var written: WallTime?

  public init(boot: BootID, odometer: Odometer = Odometer(), fences: [Fence] = [], written: WallTime? = nil) {
    self.boot = boot
    self.odometer = odometer
    self.fences = fences
    self.written = written
  }
}

// As a file.
extension LocationRecord {
  /// The version of the file that this software writes and reads.
  public static let version = 1
  /// A file that is larger is none of these [bytes]: 100 fences with the longest names, each byte escaped.
  public static let largestBytes = 65_536

  /// Why a file is no record: one line.
  public struct Damage: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    /// - Parameter description: what is wrong, after the file's name.
    public init(description: String) {
      self.description = description
    }
  }

  /// One line of JSON.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("version", Self.version)
      json.string("boot", boot.description)
      json.number("t", written?.seconds, decimals: 3)
      json.number("odometer_m", odometer.totalM, decimals: 1)
      json.number("trip_m", odometer.tripM, decimals: 1)
      json.array("inside") { json in
        for fence in fences {
          json.object { json in
            json.string("fence", fence.name)
            json.string("area", String(fence.fingerprint, radix: 16))
            json.number("since_t", fence.since?.seconds, decimals: 3)
          }
        }
      }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Reads what `encode` wrote.
  public static func decode(_ bytes: [UInt8]) throws(Damage) -> LocationRecord {
    guard let json = try? JSONValue.parse(bytes), json.members != nil else { throw Damage(description: "is damaged") }
    guard let version = json["version"]?.integer else { throw Damage(description: "says no version") }
    guard version == Self.version else {
      throw Damage(description: "is of version \(version), and this software knows \(Self.version)")
    }
    guard let boot = json["boot"]?.string.flatMap({ BootID($0) }), let odometerM = json.metres("odometer_m"),
      let tripM = json.metres("trip_m"), let inside = json["inside"]?.array, inside.count <= Geofence.most
    else { throw Damage(description: "lacks something, or has it out of range") }
    var fences: [Fence] = []
    for entry in inside {
      guard let name = entry["fence"]?.string, let area = entry["area"]?.string.flatMap({ UInt64($0, radix: 16) })
      else {
        throw Damage(description: "lacks a fence's name or area")
      }
      fences.append(Fence(name: name, fingerprint: area, since: entry.time("since_t")))
    }
    return LocationRecord(
      boot: boot, odometer: Odometer(totalM: odometerM, tripM: tripM), fences: fences, written: json.time("t"))
  }

  /// Whether there is more to keep than a metre or a correction of the clock.
  func isWorthKeeping(over other: LocationRecord) -> Bool {
    guard (odometer.totalM - other.odometer.totalM).magnitude < 1,
      (odometer.tripM - other.odometer.tripM).magnitude < 1,
      fences.count == other.fences.count
    else { return true }
    return !zip(fences, other.fences).allSatisfy { new, old in
      new.name == old.name && new.fingerprint == old.fingerprint && (new.since == nil) == (old.since == nil)
        && ((new.since?.seconds ?? 0) - (old.since?.seconds ?? 0)).magnitude < 2
    }
  }
}

extension JSONValue {
  fileprivate func metres(_ key: String) -> Double? {
    guard let metres = self[key]?.number, (0...1e12).contains(metres) else { return nil }
    return metres
  }

  fileprivate func time(_ key: String) -> WallTime? {
    guard let seconds = self[key]?.number, (0...7_258_118_400).contains(seconds) else { return nil }
    return WallTime(seconds: seconds)
  }
}
