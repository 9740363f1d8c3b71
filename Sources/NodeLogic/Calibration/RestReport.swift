public import Telemetry

/// What a sensor shows of itself while it lies still.
public struct RestReport: Equatable, Sendable {
  /// Why the figures are those of something that moved.
  public enum Motion: Equatable, Sendable, CustomStringConvertible {
    /// It lay one way, then another: how far apart [g].
    case turned(g: Double)
    /// It was touched: when, from the first sample [s], and how much it moved then [g RMS].
    case knocked(atS: Double, g: Double)
    /// It moves all the time [g RMS].
    case restless(g: Double)

    public var description: String {
      switch self {
      case .turned(let g): "it was turned: its means differ by \(Decimal.text(1000 * g, decimals: 1)) mg"
      case .knocked(let atS, let g):
        "something moved it after \(Decimal.text(atS, decimals: 1)) s, by \(Decimal.text(1000 * g, decimals: 1)) mg RMS"
      case .restless(let g): "it moves all the time, by \(Decimal.text(1000 * g, decimals: 1)) mg RMS below 12 Hz"
      }
    }
  }

  /// From the first sample to the last [s].
  public var durationS = 0.0
  public var samples = 0
  /// How many samples the timestamps say are missing, and how many touched the end of the scale.
  public var missed = 0
  public var clipped = 0
  /// Measured [Hz].
  public var rateHz = 0.0
  /// Nil: it was still.
  public var motion: Motion?
  /// All readings are the same on all axes.
  public var isConstant = false
  /// [g]
  public var meanG = Vector.zero
  /// The side that is up.
  public var face = Face.unknown
  /// RMS of the noise on each axis, quicker than about 1 s [g].
  public var noiseG = Vector.zero
  /// What the density is computed with [Hz]: as stated, or half the measured rate.
  public var bandwidthHz = 0.0
  /// RMS of the length of the acceleration without gravity, 0.7 to 12 Hz: what the preset fixed sees [g].
  public var inBandG = 0.0
  /// The Allan deviation at some lengths.
  public var allan: [AllanDeviation.Point] = []

  /// What `shake.on_g` of the preset fixed must at least be for the noise: four times its RMS in band, rounded up to
  /// two digits [g].
  public var quietestOnG: Double { roundedUp(4 * inBandG) }

  /// The mean minus 1 g along the axis that is up [g]. On the other two axes this is as much a tilt as an offset.
  public var offsetG: Vector { meanG - face.up }

  /// The mean's length minus 1 g [g]: an error of the sensor, whichever way it lies.
  public var magnitudeErrorG: Double { meanG.length - 1 }

  /// The angle between the axis that is up and up itself [deg].
  public var tiltDeg: Double { meanG.angleDeg(to: face.up) }

  /// The noise in a band of 1 Hz on each axis [g/sqrt(Hz)], if it is white.
  public var densityG: Vector {
    bandwidthHz > 0 ? noiseG * (1 / bandwidthHz.squareRoot()) : .zero
  }
}

/// The number with two significant digits, none of them too small.
func roundedUp(_ value: Double) -> Double {
  guard value > 0, value.isFinite else { return 0 }
  var unit = 1.0
  while value / unit >= 100 { unit *= 10 }
  while value / unit < 10 { unit /= 10 }
  // What is off by the last bits of a division is not rounded up by a whole unit.
  let steps = (value / unit - 1e-9).rounded(.up)
  // Dividing by a power of ten gives the number that its decimals mean; multiplying by 0.001 does not.
  return unit < 1 ? steps / (1 / unit).rounded() : steps * unit
}
