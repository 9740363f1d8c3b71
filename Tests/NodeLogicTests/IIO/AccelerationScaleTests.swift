import NodeLogic
import Telemetry
import Testing

@Suite("Mount matrix and scale")
struct AccelerationScaleTests {
  private func problem(_ text: String) -> MountMatrix.Problem? {
    do {
      _ = try MountMatrix(parsing: text)
      return nil
    } catch {
      return error
    }
  }

  @Test func aMatrixTurnsTheSensorsAxesIntoTheNodes() throws {
    let matrix = try MountMatrix(parsing: "0, 1, 0; -1, 0, 0; 0, 0, 1\n")
    #expect(matrix(Vector(1, 2, 3)) == Vector(2, -1, 3))
    #expect(matrix.determinant == 1 && matrix.isRotation)
    #expect(try MountMatrix(parsing: matrix.description) == matrix)
    #expect(try MountMatrix(parsing: "1,0,0;0,1,0;0,0,1") == .identity)
  }

  @Test func aMatrixThatMirrorsOrStretchesIsUsedAndKnownAsSuch() throws {
    #expect(try !MountMatrix(parsing: "1,0,0;0,1,0;0,0,-1").isRotation)
    #expect(try !MountMatrix(parsing: "2,0,0;0,2,0;0,0,2").isRotation)
    #expect(try MountMatrix(parsing: "0.7071,0.7071,0;-0.7071,0.7071,0;0,0,1").isRotation)
  }

  @Test func aMatrixThatIsNoneIsRefusedWithTheReason() {
    #expect(problem("0,0,0;0,0,0;0,0,0") == .singular)
    #expect(problem("1,0,0;1,0,0;0,0,1") == .singular)
    #expect(problem("1,0,0;0,1,0;0,0,1e-9") == .singular)
    #expect(problem("1,0,0;0,1,0") == .rows(2))
    #expect(problem("") == .rows(1))
    #expect(problem("1,0,0;0,1;0,0,1") == .columns(row: 2, count: 2))
    #expect(problem("1,0,0;0,1,0;0,,1") == .number(row: 3, column: 2, text: ""))
    #expect(problem("1,0,nan;0,1,0;0,0,1") == .number(row: 1, column: 3, text: "nan"))
    #expect(problem("1,0,0;0,1,0;0,0,1e200,1") == .columns(row: 3, count: 4))
    #expect(problem("1e300,0,0;0,1e300,0;0,0,1e300") == .singular)
    #expect(MountMatrix.Problem.rows(2).description.contains("expected 3"))
  }

  @Test func rawNumbersBecomeGOncePerAxis() {
    let scale = AccelerationScale(
      x: .init(scale: 0.00980665), y: .init(scale: 0.0196133, offset: 10), z: .init(scale: -0.00980665))
    let sample = scale.sample(RawScan(x: 1000, y: 40, z: -500), at: .s(3))
    #expect((sample.g - Vector(1, 0.1, 0.5)).length < 1e-12)
    #expect(sample.at == .s(3) && !sample.isClipped)
    #expect((scale.sample(raw: Vector(1000, 40, -500), at: .s(3)).g - sample.g).length < 1e-12)
    #expect(scale.fullScaleG == nil)
  }

  @Test func theMountMatrixIsAppliedAfterTheScale() throws {
    let axis = AccelerationScale.AxisScale(scale: standardGravity / 1000)
    let scale = AccelerationScale(
      x: axis, y: axis, z: axis, mount: try MountMatrix(parsing: "0,0,1; 1,0,0; 0,1,0"))
    #expect((scale.sample(RawScan(x: 100, y: 200, z: 300), at: .start).g - Vector(0.3, 0.1, 0.2)).length < 1e-12)
  }

  @Test func theEndsOfTheScaleAreClipped() throws {
    let axis = AccelerationScale.AxisScale(scale: 2 * standardGravity / 2048)
    let element = try ScanElement(parsing: "le:s12/16>>4")
    let scale = AccelerationScale(x: axis, y: axis, z: axis, axes: (element, element, element))
    let fullScale = try #require(scale.fullScaleG)
    #expect((fullScale - 2 * 2047 / 2048).magnitude < 1e-12)
    for (raw, isClipped) in [(0, false), (2000, false), (2047, true), (-2048, true), (2030, true)] {
      #expect(scale.sample(RawScan(x: 0, y: Int64(raw), z: 0), at: .start).isClipped == isClipped, "\(raw)")
    }
    let told = AccelerationScale(x: axis, y: axis, z: axis, fullScaleG: 1)
    #expect(told.sample(raw: Vector(0, 0, 1020), at: .start).isClipped)
    #expect(!told.sample(raw: Vector(0, 0, 1000), at: .start).isClipped)
  }

  @Test func wideOrOneSidedElementsSayNothingAboutTheScale() throws {
    let axis = AccelerationScale.AxisScale(scale: 0.01)
    for type in ["le:s32/32", "le:u12/16"] {
      let element = try ScanElement(parsing: type)
      let scale = AccelerationScale(x: axis, y: axis, z: axis, axes: (element, element, element))
      #expect(scale.fullScaleG == nil)
      #expect(!scale.sample(RawScan(x: 0, y: 0, z: 0), at: .start).isClipped)
    }
  }

  @Test func aScaleOfZeroOrNoNumberIsNotUsable() {
    #expect(!AccelerationScale.AxisScale(scale: 0).isUsable)
    #expect(!AccelerationScale.AxisScale(scale: .nan).isUsable)
    #expect(!AccelerationScale.AxisScale(scale: 1, offset: .infinity).isUsable)
    #expect(AccelerationScale.AxisScale(scale: 0.5, offset: -3).isUsable)
  }
}
