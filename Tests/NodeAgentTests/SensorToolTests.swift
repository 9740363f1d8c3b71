import Daemon
import NodeLogic
import Sensors
import Telemetry
import Testing

@testable import NodeAgent

@Suite struct SensorConfigurationTests {
  private func load(_ text: String) throws -> SensorConfiguration {
    try SensorConfiguration(Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"))
  }

  private func problem(_ text: String) -> String? {
    do {
      _ = try load(text)
      return nil
    } catch {
      return (error as? ConfigurationFailure)?.problems.first?.description
    }
  }

  @Test func whatACalibrationWritesIsRead() throws {
    var means: [Face: Vector] = [:]
    let sides: [(Face, Vector)] = [
      (.xUp, Vector(1, 0, 0)), (.xDown, Vector(-1, 0, 0)), (.yUp, Vector(0, 1, 0)), (.yDown, Vector(0, -1, 0)),
      (.zUp, Vector(0, 0, 1)), (.zDown, Vector(0, 0, -1)),
    ]
    // The sensor lies turned by a quarter about z.
    for (face, up) in sides { means[face] = Vector(up.y * 1.04 + 0.02, -up.x, up.z * 0.98 - 0.05) }
    let found = try SixPositionCalibration(means)
    let settings = try load(found.configuration.joined(separator: "\n")).accelerometer
    #expect(settings.mountMatrix == found.mount)
    #expect((settings.correction.scale - Vector(1 / 1.04, 1, 1 / 0.98)).length < 1e-5)
    #expect((settings.correction.offsetG - Vector(0.02, 0, -0.05)).length < 1e-5)
    #expect(found.mount(Vector(0, -1, 0)) == Vector(1, 0, 0))
  }

  @Test func aCorrectionThatIsNoneIsAMistake() {
    let scale = problem("[accelerometer]\nscale_correction = \"1, 1, 3\"")
    #expect(scale?.hasPrefix("node.toml:2:20: ") == true && scale?.contains("0.5 to 2.0") == true, "\(scale ?? "")")
    let offset = problem("[accelerometer]\noffset_g = \"0, 0\"")
    #expect(offset?.contains("2 numbers; expected 3") == true, "\(offset ?? "")")
  }

  @Test func withoutASensorThereIsNothingToRead() {
    #expect(problem("[accelerometer]\nsource = \"none\"")?.contains("nothing to read") == true)
    #expect(problem("[accelerometer]\nsource = \"recording\"")?.contains("recording_file") == true)
  }

  @Test func theBrokersSecretsAreNotNeeded() throws {
    // A tool's user may not be allowed to read it.
    let text = "[broker]\nusername = \"me\"\npassword_file = \"/nonexistent\"\n[accelerometer]\ndevice = \"lis3dh\""
    #expect(try load(text).accelerometer.device == "lis3dh")
    let whole = try Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml")
    #expect(throws: ConfigurationFailure.self, "the node itself cannot do without") {
      _ = try NodeConfiguration(whole, environment: [:], hostName: "n")
    }
  }

  @Test func theSensorsOwnAxesHaveNoMatrixAndNoCorrection() throws {
    let text = "[accelerometer]\nmount_matrix = \"0,1,0; -1,0,0; 0,0,1\"\noffset_g = \"0.1, 0, 0\""
    let axes = try load(text).sensorAxes
    #expect(axes.mountMatrix == .identity)
    #expect(axes.correction == .none)
  }
}

@Suite struct ToolStyleTests {
  private func style(_ environment: [String: String], isJSON: Bool = false, isTerminal: Bool = true) -> ToolStyle {
    let all = ["TERM": "xterm"].merging(environment) { $1 }
    return .fitting(isJSON: isJSON, isTerminal: isTerminal, isColourWanted: false, environment: all)
  }

  @Test func theLocaleDecidesAboutBlocks() {
    #expect(style(["LANG": "de_DE.UTF-8"]) == .picture(isColoured: false, isUnicode: true))
    #expect(style(["LANG": "C.utf8"]) == .picture(isColoured: false, isUnicode: true))
    #expect(style([:]) == .picture(isColoured: false, isUnicode: false))
    #expect(style(["LANG": "de_DE.UTF-8", "LC_ALL": "C"]) == .picture(isColoured: false, isUnicode: false))
    #expect(style(["LANG": "C", "LC_CTYPE": "C.UTF-8", "LC_ALL": ""]) == .picture(isColoured: false, isUnicode: true))
  }

  @Test func withoutATerminalThereAreLines() {
    #expect(style(["LANG": "C.UTF-8"], isTerminal: false) == .lines)
    #expect(style([:], isJSON: true) == .json)
  }

  @Test func onATerminalThatCannotBeDrawnOnThereAreLines() {
    #expect(style(["TERM": "dumb"]) == .lines)
    #expect(style(["TERM": ""]) == .lines)
    #expect(ToolStyle.fitting(isJSON: false, isTerminal: true, isColourWanted: false, environment: [:]) == .lines)
    #expect(style(["TERM": "dumb"], isJSON: true) == .json)
  }
}

@Suite struct RecordingRowTests {
  @Test func theTimeIsTheCalendarsAndFineEnoughForAnyRate() {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_796_013_246), quality: .ntp)
    let sample = Sample(at: Instant(seconds: 0.5003126), g: Vector(-0.0000004, 0.021, 16))
    #expect(RecordCommand.row(sample, clock) == "1796013246.500313,0.000000,0.021000,16.000000")
  }

  @Test func aBusySensorIsExplained() {
    let busy = SensorSession.explained(.failed(reason: "read in_accel_x_raw: Device or resource busy"))
    let text =
      "read in_accel_x_raw: Device or resource busy; another program has this sensor: stop it first, if it is"
      + " judder-node run"
    #expect(busy == .failed(reason: text))
    #expect(SensorSession.explained(.failed(reason: "gone")) == .failed(reason: "gone"))
    #expect(SensorSession.explained(.gap) == .gap)
  }
}

@Suite struct ReplaySummaryTests {
  @Test func aShakeCountsOnce() throws {
    var summary = ReplaySummary()
    for index in 0..<100 {
      summary.samples.count(Sample(at: Instant(seconds: Double(index) / 50), g: Vector(0, 0, 1)))
    }
    for phase in [ShakeMessage.Phase.began, .ended] {
      summary.count(
        Telegram(
          Envelope(boot: BootID(0)),
          .shake(
            ShakeMessage(
              id: 1, phase: phase, start: WallTime(seconds: 1), durationS: 0.5, peakG: 2, energyG2S: 1, cavGS: 1,
              reversals: 4, axis: .x))))
    }
    #expect(
      summary.line("a.csv")
        == "a.csv: 100 samples in 1.98 s, 50.0 Hz, 0 missed; 1 shake, 0 impacts, 0 falls, 0 windows")
  }
}
