public import Telemetry

/// Turns a driver's raw numbers into g along the node's axes.
public struct AccelerationScale: Equatable, Sendable {
  /// `(raw + offset) * scale` is m/s^2 (Documentation/ABI/testing/sysfs-bus-iio).
  public struct AxisScale: Equatable, Sendable {
    /// m/s^2 in one count, after the offset.
    public var scale: Double
    /// Counts to add to a raw value.
    public var offset: Double

    public init(scale: Double, offset: Double = 0) {
      self.scale = scale
      self.offset = offset
    }

    /// What a raw number is [g].
    public func g(_ raw: Double) -> Double { (raw + offset) * scale / standardGravity }

    /// Whether it is usable: finite, and a scale that is not 0.
    public var isUsable: Bool { scale.isFinite && offset.isFinite && scale != 0 }
  }

  /// A component at least this share of the full scale counts as clipped, because offset and rounding may keep it from
  /// the very end.
  private static let clippedShare = 0.99

  /// One for each of the sensor's own axes.
  public let x: AxisScale
  public let y: AxisScale
  public let z: AxisScale
  /// From the sensor's axes to the node's.
  public let mount: MountMatrix
  /// What is already in `x`, `y` and `z`.
  public let correction: AxisCorrection
  /// The largest value that the sensor can give [g]; nil where it is unknown.
  public let fullScaleG: Double?
  private let extremes: (x: ClosedRange<Int64>, y: ClosedRange<Int64>, z: ClosedRange<Int64>)?

  /// - Parameters:
  ///   - axes: the elements of the scan; nil where they are unknown, as they are when single attributes are read. Up to
  ///     16 bits, their smallest and largest numbers are taken for the ends of the sensor's scale; wider ones say
  ///     nothing about it.
  ///   - fullScaleG: the sensor's range, where something else tells it [g].
  ///   - correction: of a calibration; it goes into the scales here, and nowhere else.
  public init(
    x: AxisScale, y: AxisScale, z: AxisScale, mount: MountMatrix = .identity,
    axes: (x: ScanElement, y: ScanElement, z: ScanElement)? = nil, fullScaleG: Double? = nil,
    correction: AxisCorrection = .none
  ) {
    let (x, y, z) = (correction.corrected(x, \.x), correction.corrected(y, \.y), correction.corrected(z, \.z))
    self.x = x
    self.y = y
    self.z = z
    self.mount = mount
    self.correction = correction
    var derived: Double?
    if let axes, let xEnd = x.fullScaleG(axes.x), let yEnd = y.fullScaleG(axes.y), let zEnd = z.fullScaleG(axes.z) {
      derived = min(xEnd, yEnd, zEnd)
    }
    extremes = derived == nil ? nil : axes.map { ($0.x.extremes, $0.y.extremes, $0.z.extremes) }
    self.fullScaleG = fullScaleG ?? derived
  }

  /// The sample that a scan is, taken at `at`. The mount matrix is applied here, and nowhere else.
  public func sample(_ scan: RawScan, at: Instant) -> Sample {
    let g = Vector(x.g(Double(scan.x)), y.g(Double(scan.y)), z.g(Double(scan.z)))
    return Sample(at: at, g: mount(g), isClipped: isAtEnd(scan) || isClipped(g))
  }

  /// The sample of raw numbers that were read one by one.
  public func sample(raw: Vector, at: Instant) -> Sample {
    let g = Vector(x.g(raw.x), y.g(raw.y), z.g(raw.z))
    return Sample(at: at, g: mount(g), isClipped: isClipped(g))
  }

  private func isAtEnd(_ scan: RawScan) -> Bool {
    guard let extremes else { return false }
    return scan.x <= extremes.x.lowerBound || scan.x >= extremes.x.upperBound || scan.y <= extremes.y.lowerBound
      || scan.y >= extremes.y.upperBound || scan.z <= extremes.z.lowerBound || scan.z >= extremes.z.upperBound
  }

  private func isClipped(_ g: Vector) -> Bool {
    guard let fullScaleG else { return false }
    let limit = Self.clippedShare * fullScaleG
    return g.x.magnitude >= limit || g.y.magnitude >= limit || g.z.magnitude >= limit
  }

  public static func == (a: AccelerationScale, b: AccelerationScale) -> Bool {
    a.x == b.x && a.y == b.y && a.z == b.z && a.mount == b.mount && a.fullScaleG == b.fullScaleG
      && a.extremes?.x == b.extremes?.x && a.extremes?.y == b.extremes?.y && a.extremes?.z == b.extremes?.z
  }
}

extension AccelerationScale.AxisScale {
  private static let mostBits = 16

  /// The end of the scale that is nearer to zero [g]; nil where the element does not tell it.
  fileprivate func fullScaleG(_ element: ScanElement) -> Double? {
    guard element.bits <= Self.mostBits else { return nil }
    let low = g(Double(element.extremes.lowerBound))
    let high = g(Double(element.extremes.upperBound))
    // Both signs must be possible, or the offset is not known.
    return low * high < 0 ? min(low.magnitude, high.magnitude) : nil
  }
}
