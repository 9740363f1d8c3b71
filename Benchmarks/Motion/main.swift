// What one sample costs the node, from the bytes of the kernel's buffer to the state of the detectors: decoded, scaled,
// turned by the mount matrix, and handed to MotionPipeline in the batches in which a buffer is read. The scans come
// from a file, so that nothing else is measured; yardstick.c does the same work in C.

internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Prints one line and ends the program.
func giveUp(_ reason: String) -> Never {
  print("MotionBenchmark: \(reason)")
  exit(64)
}

/// Counts what the pipeline decided.
struct Tally {
  var samples = 0
  var shakes = 0
  var orientations = 0
  var windows = 0

  mutating func count(_ output: MotionOutput) {
    switch output {
    case .shake(let event) where event.phase == .began: shakes += 1
    case .orientation: orientations += 1
    case .acceleration: windows += 1
    default: break
    }
  }
}

/// A sensor as st_accel describes a LIS3DH: 12 bits, left-justified, 1 mg a count, with a time stamp.
struct Chip {
  let layout: ScanLayout
  let scale: AccelerationScale

  init() throws {
    let element = try ScanElement(parsing: "le:s12/16>>4")
    layout = try ScanLayout([
      ScanLayout.Channel(.x, index: 0, element), ScanLayout.Channel(.y, index: 1, element),
      ScanLayout.Channel(.z, index: 2, element),
      ScanLayout.Channel(.timestamp, index: 3, try ScanElement(parsing: "le:s64/64>>0")),
    ])
    let axis = AccelerationScale.AxisScale(scale: 0.009806)
    scale = AccelerationScale(
      x: axis, y: axis, z: axis, mount: try MountMatrix(parsing: "0, 1, 0; -1, 0, 0; 0, 0, 1"), axes: layout.axes)
  }
}

/// The node's way of a scan, without its threads.
struct MotionPath {
  let chip: Chip
  let rateHz: Double
  var pipeline = MotionPipeline()
  var tally = Tally()
  private var bytes: [UInt8]
  private var samples: [Sample] = []

  init(_ chip: Chip, rateHz: Double) {
    self.chip = chip
    self.rateHz = rateHz
    // As many scans as come between two wake-ups.
    let batch = max(1, Int(rateHz / 5))
    bytes = [UInt8](repeating: 0, count: batch * chip.layout.size)
    samples.reserveCapacity(batch)
  }

  /// Takes all the scans of a file.
  mutating func run(_ file: Int32) {
    let description = AccelerometerDescription(
      name: "lis3dh", source: .iio, rateHz: rateHz, capture: .buffered, fullScaleG: chip.scale.fullScaleG)
    take(.started(description), at: .start)
    while true {
      let count = read(file, &bytes, bytes.count) / chip.layout.size
      guard count > 0 else { return }
      decode(count)
      tally.samples += count
      if let last = samples.last { take(.samples(samples), at: last.at) }
    }
  }

  private mutating func decode(_ count: Int) {
    samples.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { bytes in
      for index in 0..<count {
        guard let scan = chip.layout.decode(bytes, at: index * chip.layout.size) else { continue }
        samples.append(chip.scale.sample(scan, at: Instant(seconds: Double(scan.timestampNs ?? 0) * 1e-9)))
      }
    }
  }

  private mutating func take(_ report: AccelerometerReport, at now: Instant) {
    for output in pipeline.handle(report, at: now) { tally.count(output) }
  }
}

guard CommandLine.arguments.count == 3, let rateHz = Double(CommandLine.arguments[2]), rateHz > 0 else {
  giveUp("usage: MotionBenchmark SCANS RATE_HZ")
}
let file = open(CommandLine.arguments[1], O_RDONLY)
guard file >= 0 else { giveUp("cannot open \(CommandLine.arguments[1])") }
var path = MotionPath(try Chip(), rateHz: rateHz)
path.run(file)
let tally = path.tally
print(
  "samples \(tally.samples) shakes \(tally.shakes) orientations \(tally.orientations) windows \(tally.windows)")
