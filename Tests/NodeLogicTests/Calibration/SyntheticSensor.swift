import Telemetry

@testable import NodeLogic

/// An accelerometer with errors that are known: it shows `A a + offset` and white noise of the acceleration `a` along
/// the node's axes.
struct SyntheticSensor {
  /// What a calibration should find: the sensor's axes in the node.
  var mount = Matrix.identity
  var correction = AxisCorrection.none
  /// RMS on each axis [g].
  var noiseG = 0.0
  /// The last digit [g]; 0: none.
  var stepG = 0.0
  var rateHz = 100.0
  private var random = RandomNumbers(seed: 7)
  private var count = 0

  init() {}

  /// Rotations about x, then y, then z [deg].
  static func rotation(_ xDeg: Double, _ yDeg: Double, _ zDeg: Double) -> Matrix {
    let x = turn(xDeg) { Matrix(rows: Vector(1, 0, 0), Vector(0, $0, -$1), Vector(0, $1, $0)) }
    let y = turn(yDeg) { Matrix(rows: Vector($0, 0, $1), Vector(0, 1, 0), Vector(-$1, 0, $0)) }
    let z = turn(zDeg) { Matrix(rows: Vector($0, -$1, 0), Vector($1, $0, 0), Vector(0, 0, 1)) }
    // By columns, which transposed are rows.
    return Matrix(
      rows: z(y(x(Vector(1, 0, 0)))), z(y(x(Vector(0, 1, 0)))), z(y(x(Vector(0, 0, 1))))
    ).transposed
  }

  private static func turn(_ deg: Double, _ matrix: (Double, Double) -> Matrix) -> Matrix {
    matrix(cos(radians(deg)), sin(radians(deg)))
  }

  /// What it shows, without noise.
  func shown(_ a: Vector) -> Vector {
    let s = mount.transposed(a)
    let k = correction.scale
    return Vector(s.x / k.x, s.y / k.y, s.z / k.z) + correction.offsetG
  }

  /// The next sample.
  mutating func next(_ a: Vector) -> Sample {
    let shown = shown(a)
    let at = Instant(seconds: Double(count) / rateHz)
    count += 1
    return Sample(at: at, g: Vector(digit(shown.x), digit(shown.y), digit(shown.z)))
  }

  private mutating func digit(_ g: Double) -> Double {
    let noisy = g + noiseG * random.normal()
    return stepG > 0 ? (noisy / stepG).rounded() * stepG : noisy
  }

  /// Samples of so many seconds.
  mutating func samples(_ seconds: Double, _ a: (Double) -> Vector) -> [Sample] {
    (0..<Int(seconds * rateHz)).map { next(a(Double($0) / rateHz)) }
  }
}

/// Six sides up for a while each, in some order, with a turn of a second and a half between.
func handled(_ sensor: inout SyntheticSensor, _ faces: [Face], eachS: Double = 4) -> [Sample] {
  var samples: [Sample] = []
  for (index, face) in faces.enumerated() {
    if index > 0 {
      let from = faces[index - 1].up
      // By way of a third direction, because opposite ones have no shortest way.
      let way = abs(from.dot(face.up)) < 0.5 ? Vector.zero : Vector(from.y, from.z, from.x)
      samples += sensor.samples(1.5) { time in
        let share = time / 1.5
        let sum = from * (1 - share) + face.up * share + way * sin(.pi * share)
        return sum * (1 / sum.length) + Vector(0.05 * sin(40 * time), 0, 0.05 * cos(37 * time))
      }
    }
    samples += sensor.samples(eachS) { _ in face.up }
  }
  return samples
}
