internal import Telemetry

/// A waveform as comma-separated values (RFC 4180): `t` in seconds since 1970, and `x`, `y`, `z` in g.
///
/// It is what `judder-node replay` reads. A hole is where `t` jumps; there are no lines for it.
public enum WaveformTable {
  /// The whole file.
  public static func encode(_ waveform: Waveform) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48 * waveform.count + 16)
    bytes += "t,x,y,z\r\n".utf8
    for segment in waveform.segments {
      let unit = DecimalUnit(nanos: segment.unitNanoG)
      for place in 0..<segment.count {
        append(segment.time(place).microseconds, decimals: 6, to: &bytes)
        for count in [segment.x[place], segment.y[place], segment.z[place]] {
          bytes.append(UInt8(ascii: ","))
          unit.append(count, to: &bytes)
        }
        bytes += "\r\n".utf8
      }
    }
    return bytes
  }
}

/// Writes multiples of a unit with as many decimals as the unit has.
private struct DecimalUnit {
  /// The unit, as a multiple of 10 to the power of -decimals.
  private var multiple: Int
  private var decimals = 9

  init(nanos: Int) {
    multiple = nanos
    while decimals > 0, multiple % 10 == 0 {
      multiple /= 10
      decimals -= 1
    }
  }

  func append(_ count: Int32, to bytes: inout [UInt8]) {
    let (product, isTooLarge) = Int(count).multipliedReportingOverflow(by: multiple)
    if isTooLarge {
      // 2e9 counts of more than 4 g: no sensor's, and as exact as a Double.
      var scale = 1.0
      for _ in 0..<decimals { scale *= 10 }
      bytes += "\(Double(count) * Double(multiple) / scale)".utf8
    } else {
      Waveforms.append(product, decimals: decimals, to: &bytes)
    }
  }
}

/// A whole number of 10 to the power of -decimals, with all of its decimals.
private func append(_ value: Int, decimals: Int, to bytes: inout [UInt8]) {
  if value < 0 { bytes.append(UInt8(ascii: "-")) }
  var digits: [UInt8] = []
  var rest = value.magnitude
  while rest > 0 || digits.count <= decimals {
    digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
    rest /= 10
  }
  for (place, digit) in digits.enumerated().reversed() {
    bytes.append(digit)
    if place == decimals, decimals > 0 { bytes.append(UInt8(ascii: ".")) }
  }
}
