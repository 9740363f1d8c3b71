import Telemetry
import Testing

@testable import NodeLogic

@Suite("Calibration in six positions") struct SixPositionTests {
  static let asAsked = Face.known

  /// A sensor that sits in the node at an odd angle, with errors on each axis.
  static func oddSensor() -> SyntheticSensor {
    var sensor = SyntheticSensor()
    sensor.mount = SyntheticSensor.rotation(92, -3, 171)
    sensor.correction = AxisCorrection(scale: Vector(1.02, 0.97, 1.05), offsetG: Vector(0.03, -0.05, 0.08))
    sensor.noiseG = 0.003
    return sensor
  }

  private func means(_ sensor: SyntheticSensor) -> [Face: Vector] {
    Dictionary(uniqueKeysWithValues: Face.known.map { ($0, sensor.shown($0.up)) })
  }

  private func problem(_ means: [Face: Vector]) -> SixPositionCalibration.Problem? {
    do {
      _ = try SixPositionCalibration(means)
      return nil
    } catch {
      return error
    }
  }

  @Test func aKnownSensorIsRecoveredExactly() throws {
    let sensor = Self.oddSensor()
    let found = try SixPositionCalibration(means(sensor))
    #expect((found.correction.scale - sensor.correction.scale).largest < 1e-12)
    #expect((found.correction.offsetG - sensor.correction.offsetG).largest < 1e-12)
    // The matrix is kept to five digits.
    let rows = found.mount.rows
    #expect((rows.x - sensor.mount.x).largest < 6e-6)
    #expect((rows.y - sensor.mount.y).largest < 6e-6)
    #expect((rows.z - sensor.mount.z).largest < 6e-6)
    #expect(found.mount.isRotation)
    #expect(found.residualG < 1e-12)
  }

  @Test func noiseLeavesLessThanAMilligram() throws {
    var sensor = Self.oddSensor()
    var stillness = Stillness(neededS: 3)
    var guide = SixPositions()
    for sample in handled(&sensor, Self.asAsked) {
      if let still = stillness.feed(sample) { _ = guide.take(still.meanG) }
    }
    let found = try SixPositionCalibration(guide.meansG)
    // 3 mg of noise, 300 samples a side: 0.17 mg each, and four times that.
    #expect((found.correction.offsetG - sensor.correction.offsetG).largest < 0.0007)
    #expect((found.correction.scale - sensor.correction.scale).largest < 0.0007)
    #expect((found.mount.rows.x - sensor.mount.x).largest < 0.0007)
    #expect(found.residualG < 0.001)
  }

  @Test func sidesThatAreNotLevelEnterScaleAndOffsetOnlyALittle() throws {
    var sensor = Self.oddSensor()
    sensor.mount = SyntheticSensor.rotation(90, 0, 180)
    // Each side lies 1 deg off, in a direction of its own.
    var shown: [Face: Vector] = [:]
    for (index, face) in Face.known.enumerated() {
      let turn = Double(index)
      let tilt = SyntheticSensor.rotation(cos(turn), sin(2.1 * turn), cos(1.3 * turn))
      shown[face] = sensor.shown(tilt(face.up))
    }
    let found = try SixPositionCalibration(shown)
    #expect((found.correction.scale - sensor.correction.scale).largest < 0.001)
    #expect((found.correction.offsetG - sensor.correction.offsetG).largest < 0.012)
    #expect(found.residualG > 0.005 && found.residualG < 0.03, "and it is told")
  }

  @Test func theConfigurationMakesGravityOfEverySide() throws {
    let sensor = Self.oddSensor()
    let lines = try SixPositionCalibration(means(sensor)).configuration
    let value = { (key: String) in
      lines.first { $0.hasPrefix("\(key) = \"") }.map { $0.dropFirst(key.count + 4).dropLast() } ?? ""
    }
    let correction = AxisCorrection(
      scale: try AxisCorrection.scale(parsing: value("scale_correction")),
      offsetG: try AxisCorrection.offsetG(parsing: value("offset_g")))
    // A driver in whose numbers 1000 counts are 1 g, and one axis counts backwards.
    let scale = AccelerationScale(
      x: .init(scale: standardGravity / 1000, offset: 12), y: .init(scale: -standardGravity / 1000),
      z: .init(scale: standardGravity / 1000), mount: try MountMatrix(parsing: value("mount_matrix")),
      correction: correction)
    for face in Face.known {
      let shown = sensor.shown(face.up)
      let sample = scale.sample(raw: Vector(1000 * shown.x - 12, -1000 * shown.y, 1000 * shown.z), at: .start)
      #expect((sample.g - face.up).largest < 0.00003, "\(face)")
    }
  }

  @Test func whatNoSensorDoesIsRefusedWithTheReason() {
    var sensor = Self.oddSensor()
    sensor.correction.offsetG.y = 0.35
    #expect(problem(means(sensor)) != nil)
    guard case .offset(.y, _) = problem(means(sensor)) else {
      Issue.record("\(String(describing: problem(means(sensor))))")
      return
    }
    sensor = Self.oddSensor()
    sensor.correction.scale.z = 1.3
    guard case .scale(.z, _) = problem(means(sensor)) else {
      Issue.record("\(String(describing: problem(means(sensor))))")
      return
    }
    var swapped = means(Self.oddSensor())
    (swapped[.xUp], swapped[.xDown]) = (swapped[.xDown], swapped[.xUp])
    #expect(problem(swapped) == .noRotation)
    var tilted = means(Self.oddSensor())
    tilted[.yUp] = Self.oddSensor().shown(SyntheticSensor.rotation(12, 0, 0)(Face.yUp.up))
    guard case .residual(let g, _) = problem(tilted) else {
      Issue.record("\(String(describing: problem(tilted)))")
      return
    }
    #expect(g > 0.05)
    var few = means(Self.oddSensor())
    few[.xDown] = nil
    #expect(problem(few) == .missing([.xDown]))
    #expect(SixPositionCalibration.Problem.missing([.xDown]).description == "no position with x- up")
  }
}

@Suite("Recognising positions") struct SixPositionsTests {
  private let sensor = SixPositionTests.oddSensor()

  private func mean(_ face: Face) -> Vector { sensor.shown(face.up) }

  @Test func theOrderIsFreeOnceZAndXAreKnown() {
    var guide = SixPositions()
    #expect(guide.next == .zUp)
    #expect(guide.take(mean(.zUp)) == .taken(.zUp))
    #expect(guide.next == .zDown)
    #expect(guide.take(mean(.zDown)) == .taken(.zDown))
    #expect(guide.take(mean(.xUp)) == .taken(.xUp))
    #expect(guide.next == .xDown)
    #expect(guide.take(mean(.yDown)) == .taken(.yDown))
    #expect(guide.take(mean(.yUp)) == .taken(.yUp))
    #expect(guide.take(mean(.xDown)) == .taken(.xDown))
    #expect(guide.next == nil)
    for face in Face.known { #expect(guide.meansG[face] == mean(face)) }
  }

  @Test func aSideThatCameAlreadyIsRefused() {
    var guide = SixPositions()
    _ = guide.take(mean(.zUp))
    #expect(guide.take(mean(.zUp)) == .repeated(.zUp))
    _ = guide.take(mean(.zDown))
    _ = guide.take(mean(.xUp))
    #expect(guide.take(mean(.zDown)) == .repeated(.zDown))
    #expect(guide.next == .xDown)
  }

  @Test func whatLiesBetweenIsUnclear() {
    var guide = SixPositions()
    _ = guide.take(mean(.zUp))
    // z down was asked for: which of the four others this is cannot be known yet.
    guard case .unclear = guide.take(mean(.yUp)) else {
      Issue.record("taken")
      return
    }
    _ = guide.take(mean(.zDown))
    guard case .unclear(let deg) = guide.take(sensor.shown(Vector(0.70711, 0, 0.70711))) else {
      Issue.record("taken")
      return
    }
    #expect((40...50).contains(deg))
    _ = guide.take(mean(.xUp))
    guard case .unclear = guide.take(sensor.shown(Vector(0.57735, 0.57735, 0.57735))) else {
      Issue.record("taken")
      return
    }
    #expect(guide.meansG.count == 3)
  }

  @Test func whatIsNoGravityIsRefused() {
    var guide = SixPositions()
    #expect(guide.take(Vector(0, 0, 9.8)) == .noGravity(g: 9.8))
    #expect(guide.take(.zero) == .noGravity(g: 0))
    #expect(guide.meansG.isEmpty)
  }

  @Test func inARecordingOnlyTheFirstTwoSidesAreByAgreement() {
    var guide = SixPositions(isOrderFree: true)
    for face in [Face.zUp, .xUp, .yUp, .xDown, .zDown, .yDown] { #expect(guide.take(mean(face)) == .taken(face)) }
    #expect(guide.next == nil)
  }
}

@Suite("Stillness") struct StillnessTests {
  @Test func eachSideIsAnsweredOnceAndTurningIsNot() {
    var sensor = SixPositionTests.oddSensor()
    let samples = handled(&sensor, Face.known, eachS: 4)
    var stillness = Stillness(neededS: 2)
    let found = samples.compactMap { stillness.feed($0) }
    #expect(found.count == 6)
    for (still, face) in zip(found, Face.known) {
      #expect((still.meanG - sensor.shown(face.up)).largest < 0.002, "\(face)")
      #expect(still.count >= 190)
    }
  }

  @Test func tooShortAndTooRestlessIsNotStill() {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.003
    var stillness = Stillness(neededS: 2)
    #expect(sensor.samples(2.3) { _ in flat }.allSatisfy { stillness.feed($0) == nil })
    #expect(stillness.isStill)
    let walk = sensor.samples(20) { flat + Vector(0, 0, 0.2 * sin(2 * .pi * 2 * $0)) }
    #expect(walk.allSatisfy { stillness.feed($0) == nil })
  }

  @Test func aHoleStartsTheStretchAgain() {
    var sensor = SyntheticSensor()
    var stillness = Stillness(neededS: 2)
    var samples = sensor.samples(5) { _ in flat }
    for index in samples.indices where index >= 150 { samples[index].at = samples[index].at + 5 }
    let found = samples.compactMap { stillness.feed($0) }
    #expect(found.count == 1)
    #expect((found.first?.start.seconds ?? 0) >= 6.9)
  }
}

@Suite("Axis correction") struct AxisCorrectionTests {
  private func problem(_ body: () throws -> Vector) -> AxisCorrection.Problem? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? AxisCorrection.Problem
    }
  }

  @Test func textsAreRead() throws {
    #expect(try AxisCorrection.scale(parsing: "1.002, 0.998,1.01") == Vector(1.002, 0.998, 1.01))
    #expect(try AxisCorrection.offsetG(parsing: " 0, -0.004, 0.031 ") == Vector(0, -0.004, 0.031))
    #expect(problem { try AxisCorrection.scale(parsing: "1, 1") } == .count(2))
    #expect(problem { try AxisCorrection.scale(parsing: "1, x, 1") } == .number(axis: .y, text: "x"))
    #expect(problem { try AxisCorrection.offsetG(parsing: "0, 0, nan") } == .number(axis: .z, text: "nan"))
    #expect(problem { try AxisCorrection.scale(parsing: "1, 1, 3") } == .range(axis: .z, value: 3, 0.5...2))
    let text = AxisCorrection.Problem.range(axis: .z, value: 3, 0.5...2).description
    #expect(text == "z: 3.0 is not within 0.5 to 2.0")
  }

  @Test func withoutACorrectionNothingChanges() {
    let axis = AccelerationScale.AxisScale(scale: 0, offset: 3)
    #expect(AxisCorrection.none.corrected(axis, \.x) == axis)
  }

  @Test func theFullScaleIsThatOfTheCorrectedAxes() throws {
    let axis = AccelerationScale.AxisScale(scale: standardGravity / 1000)
    let element = try ScanElement(parsing: "le:s12/16>>4")
    let scale = AccelerationScale(
      x: axis, y: axis, z: axis, axes: (element, element, element),
      correction: AxisCorrection(scale: Vector(1.1, 1, 1), offsetG: Vector(0, 0.5, 0)))
    // 2.047 g, less the half that the offset takes of one side.
    #expect(((scale.fullScaleG ?? 0) - 1.547).magnitude < 1e-9)
    #expect(scale.sample(RawScan(x: 0, y: 2047, z: 0), at: .start).isClipped)
  }
}
