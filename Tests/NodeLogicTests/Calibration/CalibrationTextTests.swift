import Telemetry
import Testing

@testable import NodeLogic

@Suite("Words of a calibration") struct CalibrationTextTests {
  @Test func theReportIsGivenInUnits() {
    var report = RestReport()
    report.durationS = 30
    report.samples = 3000
    report.missed = 2
    report.rateHz = 100.25
    report.meanG = Vector(0.02, -0.03, 1.045)
    report.face = .zUp
    report.noiseG = Vector(0.002, 0.002, 0.003)
    report.bandwidthHz = 50
    report.inBandG = 0.0029
    report.allan = [.init(tauS: 0.08, deviationG: Vector(0.0001, 0.0002, 0.0003), differences: 300)]
    #expect(
      report.lines == [
        "samples  3000 in 30.0 s, 100.25 Hz, 2 missed",
        "up       z+, 2.0 deg from level",
        "mean     x 0.0200, y -0.0300, z 1.0450 g",
        "offset   x 20.0, y -30.0, z 45.0 mg from that side, in which any tilt is too",
        "|a|      1.0456 g, +45.6 mg, whichever way it lies",
        "noise    x 2.000, y 2.000, z 3.000 mg RMS",
        "density  x 283, y 283, z 424 ug/sqrt(Hz), if white over 50.0 Hz",
        "in band  2.900 mg RMS from 0.7 to 12 Hz, all axes",
        "allan    x 100, y 200, z 300 ug over 0.08 s",
        "How offset and scale change with the temperature cannot be known from this.",
      ])
    #expect(
      report.suggestion == [
        "# For a node that is bolted down; four times the noise in band are 0.012 g.", "[shake]", "preset = \"fixed\"",
        "on_g = 0.012", "# The preset handheld starts at 0.7 g, far above the noise.",
      ])
    report.inBandG = 0.00005
    #expect(
      report.suggestion.first
        == "# shake.preset = \"fixed\" can stay at its 0.001 g: four times the noise in band are 0.0002 g.")
    #expect(RestReport.Motion.turned(g: 0.035).description == "it was turned: its means differ by 35.0 mg")
  }

  @Test func aPersonIsLedThroughTheSixSides() {
    var sensor = SixPositionTests.oddSensor()
    sensor.noiseG = 0
    var guide = PositionsGuide(neededS: 2, isAsking: true)
    #expect(guide.question == "1 of 6: put the node so that its z+ side is up, and let go of it for 2.0 s")
    var said: [String] = []
    // z+ a second time, and y before x- where x- was asked for.
    let order: [Face] = [.zUp, .xUp, .zUp, .zDown, .xUp, .yUp, .xDown, .yDown]
    for sample in handled(&sensor, order) { said += guide.feed(sample) }
    let answers = said.filter { !$0.contains(" of 6: ") }
    #expect(answers.count == 8)
    #expect(answers[0].hasPrefix("z+ is up: "))
    #expect(answers[1].hasSuffix("passed over; z- was asked for"), "\(answers[1])")
    #expect(answers[2] == "z+ is up, which is there already: passed over")
    #expect(answers[5].hasPrefix("y+ is up: "))
    #expect(guide.isComplete && guide.question == nil)
    #expect(said.count { $0.hasPrefix("4 of 6: ") && $0.contains(" x- side") } == 1)
    #expect(said.count { $0.hasPrefix("5 of 6: ") && $0.contains(" x- side") } == 1)
  }

  @Test func aRecordingIsNotAskedForAnything() throws {
    var sensor = SixPositionTests.oddSensor()
    var guide = PositionsGuide(neededS: 2, isAsking: false)
    var said: [String] = []
    for sample in handled(&sensor, [.zUp, .xUp, .yUp, .xDown, .zDown, .yDown]) { said += guide.feed(sample) }
    #expect(said.count == 6 && guide.isComplete)
    #expect(said.first?.hasPrefix("at 0.5 s: z+ is up: ") == true, "\(said)")
    let found = try SixPositionCalibration(guide.positions.meansG)
    #expect((found.correction.offsetG - sensor.correction.offsetG).largest < 0.0007)
  }
}
