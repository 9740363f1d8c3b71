public import Telemetry

/// How a node is called where a station has five letters: SEED's network, station, location and channel codes.
public struct SEEDNames: Equatable, Sendable {
  /// Of a network that nobody assigned: for tests and for what stays at home (FDSN network codes).
  public static let unassignedNetwork = "XX"

  /// One or two letters or digits.
  public let network: String
  /// One to five letters or digits.
  public let station: String
  /// Two letters or digits.
  public let location: String

  /// The codes of a node.
  ///
  /// A name of one to five letters and digits is the station, in capitals, at location `00`. Any other becomes a
  /// station of five characters and a location of two, which is never `00`, made of a hash of the name: 7.8e10 codes,
  /// so that even among 20 000 nodes two have the same with a probability of 0.3 %.
  ///
  /// - Parameter network: what `isNetwork` lets through.
  public init(_ node: NodeName, network: String = SEEDNames.unassignedNetwork) {
    self.network = network
    let name = node.description
    if name.utf8.count <= 5, !name.utf8.contains(UInt8(ascii: "-")) {
      station = name.uppercased()
      location = "00"
    } else {
      var hash = Self.hash(name)
      station = Self.digits(&hash, 5, from: 0)
      location = Self.digits(&hash, 2, from: 1)
    }
  }

  /// Whether a text can be a network's code: one or two of A to Z and 0 to 9.
  public static func isNetwork(_ text: String) -> Bool {
    (1...2).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
      }
  }

  /// The code of an axis at a sampling rate [Hz]: band by rate, N for an accelerometer, 1 to 3 for x to z, because the
  /// axes of a node are at right angles and point anywhere. SEED 2.4 manual, appendix A.
  public static func channel(_ axis: Axis, rateHz: Double) -> String {
    let orientation =
      switch axis {
      case .x: "1"
      case .y: "2"
      case .z: "3"
      }
    return "\(band(rateHz))N\(orientation)"
  }

  /// An accelerometer measures down to 0 Hz: the bands for long corner periods.
  private static func band(_ rateHz: Double) -> String {
    switch rateHz {
    case 1000...: "F"
    case 250..<1000: "C"
    case 80..<250: "H"
    case 10..<80: "B"
    case 1..<10: "M"
    default: "L"
    }
  }

  /// FNV-1a of 64 bits (Fowler, Noll and Vo), and the last step of MurmurHash3, so that every bit counts.
  private static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
    hash = (hash ^ (hash >> 33)) &* 0xc4ce_b9fe_1a85_ec53
    return hash ^ (hash >> 33)
  }

  /// The next digits of the hash, base 36, of a number that is at least `lowest`.
  private static func digits(_ hash: inout UInt64, _ count: Int, from lowest: UInt64) -> String {
    var range: UInt64 = 1
    for _ in 0..<count { range *= 36 }
    let value = lowest + hash % (range - lowest)
    hash /= range - lowest
    let text = String(value, radix: 36, uppercase: true)
    return "0".repeated(count - text.utf8.count) + text
  }
}

extension String {
  fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
