internal import Foundation

/// A recording of a pallet that is handled: at rest but for a short shake and one that lasts too long. The same in
/// every run.
enum ShakenRecording {
  static let rateHz = 100.0
  /// Its length; played over and over [s].
  static let lengthS = 18.0

  private static let shakes: [(from: Double, lengthS: Double)] = [(4, 0.8), (10, 1.9)]
  private static let shakeG = 1.8
  private static let shakeHz = 4.0

  /// As judder-node reads it: t [s], x, y, z [g].
  static func csv() -> String {
    var noise = Noise()
    let rows = (0..<Int(lengthS * rateHz)).map { index in
      let t = Double(index) / rateHz
      let x = 0.01 + shake(at: t) + noise.next() * 0.003
      let y = -0.02 + 0.2 * shake(at: t) + noise.next() * 0.003
      let z = 0.999 + noise.next() * 0.003
      return String(format: "%.2f,%.5f,%.5f,%.5f", t, x, y, z)
    }
    return "t,x,y,z\n" + rows.joined(separator: "\n") + "\n"
  }

  /// To and fro along x, swelling and fading within a tenth of a second.
  private static func shake(at t: Double) -> Double {
    for (from, lengthS) in shakes where t >= from && t < from + lengthS {
      let fade = min(1, (t - from) / 0.1, (from + lengthS - t) / 0.1)
      return shakeG * fade * sin(2 * .pi * shakeHz * (t - from))
    }
    return 0
  }

  /// Evenly spread over -1...1: xorshift (Marsaglia 2003), with a fixed seed.
  private struct Noise {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state >> 11) / Double(1 << 52) - 1
    }
  }
}
