import NodeLogic
import Testing

@Suite struct CoordinateTests {
  private func at(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  @Test func measuresAQuarterOfTheGlobe() throws {
    let quarter = Coordinate.earthRadiusM * .pi / 2
    #expect(abs(try at(0, 0).distanceM(to: at(90, 0)) - quarter) < 1e-3)
    #expect(abs(try at(0, -45).distanceM(to: at(0, 45)) - quarter) < 1e-3)
  }

  @Test func measuresAcrossTheDateLine() throws {
    #expect(abs(try at(0, 179.999).distanceM(to: at(0, -179.999)) - 222.39) < 0.01)
  }

  @Test func measuresMillimetresAndAntipodes() throws {
    #expect(abs(try at(47, 8).distanceM(to: at(47.00000001, 8)) - 0.001112) < 1e-5)
    // Near the other side of the globe the formula is good to a metre only.
    #expect(abs(try at(10, 20).distanceM(to: at(-10, -160)) - Coordinate.earthRadiusM * .pi) < 1)
    #expect(try at(47, 8).distanceM(to: at(47, 8)) == 0)
  }

  @Test(arguments: [(Double.nan, 0.0), (0, .infinity), (90.0001, 0), (0, -180.0001)])
  func refusesWhatIsNotOnTheGlobe(latitude: Double, longitude: Double) {
    #expect(Coordinate(latitude: latitude, longitude: longitude) == nil)
  }
}
