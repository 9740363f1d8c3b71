import Telemetry
import Testing

@testable import NodeLogic

@Suite("Tap") struct TapTests {
  private static let sensor = AccelerometerDescription(
    name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)

  private func state(_ samples: [Sample], of sensor: AccelerometerDescription = TapTests.sensor) -> TapState {
    var state = TapState(
      MotionSettings(), boot: BootID(0), clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none),
      at: .start)
    _ = state.handle(.started(sensor), at: .start)
    for sample in samples { _ = state.handle(.samples([sample]), at: sample.at) }
    return state
  }

  /// Four seconds on its back, then a second and a half of a shake.
  private var shakenState: TapState {
    state(samples(lengthS: 7.0, shaken(from: 4, lengthS: 0.8)))
  }

  @Test func aPictureIsBarsAndWords() {
    let lines = TapPicture(width: 60).lines(state(samples(lengthS: 3) { _ in Vector(-0.5, 0.25, 0.875) }), at: .s(3))
    #expect(
      lines == [
        "lis3dh, buffered, 100.0 Hz",
        "",
        "x     -0.500 g [                #####|                     ]",
        "y      0.250 g [                     |###                  ]",
        "z      0.875 g [                     |#########            ]",
        "|a|    1.038 g [######################                     ]",
        "move   0.000 g [                     |                     ]",
        "               -2                    0                  +2 g",
        "",
        "shake  idle, level 0.700 g, reversals 0 of 3",
        "up     z+, tilt 32.6 deg",
        "last   z+ is up (3 s ago)",
        "seen   300 samples, 0 missed, 0 clipped, 0 shakes, 1 turn",
      ])
  }

  @Test func theDetectorsStatesAreSeenInTheirOrder() {
    var stages: [ShakeDetector.Stage] = []
    var state = state([])
    for sample in samples(lengthS: 8, shaken(from: 4, lengthS: 0.8)) {
      _ = state.handle(.samples([sample]), at: sample.at)
      if let stage = state.glance?.stage, stage != stages.last { stages.append(stage) }
    }
    #expect(stages == [.warmingUp, .idle, .shaking, .latched, .idle])
  }

  @Test func aShakeIsToldInBothItsPhasesAndCountedOnce() {
    var state = state([])
    var texts: [String] = []
    for sample in samples(lengthS: 7, shaken(from: 4, lengthS: 0.8)) {
      texts += state.handle(.samples([sample]), at: sample.at).map(\.text)
    }
    #expect(texts.count == 3)
    #expect(texts.first == "z+ is up")
    #expect(texts[1].hasPrefix("shake 1 began, 3 reversals along x, peak "), "\(texts)")
    #expect(texts[2].hasPrefix("shake 1 ended, 0.") && texts[2].hasSuffix(" Hz"), "\(texts)")
    #expect(state.counts[.shake] == 1)
    let lines = TapPicture().lines(state, at: .s(7))
    #expect(lines.contains { $0.hasPrefix("last   shake 1 ended") })
  }

  @Test func impactsAndFallsAreToldWhereTheyAreThere() {
    let impact = Telegram(
      Envelope(boot: BootID(0)),
      .impact(
        ImpactMessage(
          id: 2, start: WallTime(seconds: 1), peakG: 12.14, durationS: 0.004, velocityChangeMPS: 0.31, axis: .z)))
    #expect(TapEvent(impact, at: .start)?.text == "impact 2, peak 12.14 g, 4.0 ms, 0.31 m/s along z")
    let fall = Telegram(
      Envelope(boot: BootID(0)),
      .freeFall(FreeFallMessage(id: 1, start: WallTime(seconds: 1), durationS: 0.35, dropM: 0.6)))
    #expect(TapEvent(fall, at: .start)?.text == "fall 1, 0.35 s, 0.60 m")
  }

  @Test(arguments: [30, 40, 79, 80, 200], [false, true])
  func noLineIsWiderThanTheTerminal(width: Int, isUnicode: Bool) {
    var state = shakenState
    _ = state.handle(.failed(reason: String(repeating: "no such thing ", count: 30)), at: .s(7))
    for line in TapPicture(width: width, isUnicode: isUnicode).lines(state, at: .s(7)) {
      #expect(TextWidth.of(line) <= width, "\(line)")
      #expect(line.allSatisfy { $0.isASCII } || isUnicode)
    }
  }

  @Test func coloursDoNotChangeTheText() {
    let coloured = TapPicture(isColoured: true).lines(shakenState, at: .s(7))
    let plain = TapPicture().lines(shakenState, at: .s(7))
    #expect(coloured.contains { $0.contains("\u{1B}[") })
    let stripped = coloured.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") }
    #expect(stripped == plain)
    #expect(plain.allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test func aNameOfUnknownOriginIsShownSafely() {
    let sensor = AccelerometerDescription(
      name: "bad\u{1B}[2J\n", source: .iio, rateHz: 100, capture: .polled(why: "no\u{07} trigger"))
    let lines = TapPicture().lines(state(samples(lengthS: 1) { _ in flat }, of: sensor), at: .s(1))
    #expect(lines.first?.hasPrefix("bad\\u{1b}[2J\\n, polled, ") == true)
    #expect(lines[1] == "polled: no\\u{07} trigger")
    #expect(
      lines.last == "seen   100 samples, 0 missed, 0 shakes, 1 turn", "a range that is unknown is not called kept")
  }

  @Test func whatIsNotThereIsSaid() {
    var state = state([])
    #expect(TapPicture().lines(state, at: .start).contains("no sample yet"))
    _ = state.handle(.failed(reason: "no accelerometer"), at: .start)
    #expect(state.line(at: .start) == "no accelerometer")
    #expect(TapPicture().lines(state, at: .start)[1] == "no accelerometer")
    state = self.state(samples(lengthS: 1) { _ in flat })
    #expect(TapPicture().lines(state, at: .s(5))[1] == "no sample for 4 s")
  }

  @Test func theScaleGrowsAtOnceAndShrinksAfterSomeSeconds() {
    var state = state([])
    let shaken = samples(lengthS: 20) { time in Vector(time > 2 && time < 2.1 ? 5 : 0, 0, 1) }
    var scales: [Double] = []
    for sample in shaken {
      _ = state.handle(.samples([sample]), at: sample.at)
      if state.scaleG != scales.last { scales.append(state.scaleG) }
    }
    #expect(scales == [2, 8, 2])
  }

  @Test func linesAndObjectsSayTheSame() throws {
    let state = state(samples(lengthS: 3) { _ in Vector(0, 0.25, 1) })
    #expect(
      state.line(at: .s(3))
        == "x 0.000 y 0.250 z 1.000 |a| 1.031 g, move 0.0000 g, idle, level 0.700 g, reversals 0 of 3,"
        + " up z+, tilt 14.0 deg, lis3dh, buffered, 100.0 Hz, 0 missed")
    let json = try JSONValue.parse(Array(state.json(at: .s(3)).utf8))
    #expect(json["detector"]?.string == "idle")
    #expect(json["n"]?.number == 300)
    #expect(json["clipped"]?.number == 0)
    #expect(json["error"] == nil && json["polling"] == nil)
    let nothing = try JSONValue.parse(Array(self.state([]).json(at: .start).utf8))
    #expect(nothing["g"] == nil && nothing["hz"] == nil && nothing["tilt_deg"] == nil && nothing["activity_g"] == nil)
  }

  @Test func missedAndClippedAreCounted() {
    var all = samples(lengthS: 3) { _ in flat }
    all.removeSubrange(100..<107)
    all[50].isClipped = true
    let state = state(all)
    #expect(state.missed == 7 && state.clipped == 1 && state.samples == 293)
  }
}

@Suite("Bar") struct BarTests {
  private let bar = Bar(width: 13, isUnicode: false)

  @Test(arguments: [
    (0.0, "[     |     ]"), (1, "[     |#####]"), (-1, "[#####|     ]"), (0.4, "[     |##   ]"),
    (-0.2, "[    #|     ]"),
    (7, "[     |#####]"), (-7, "[#####|     ]"), (.nan, "[     |     ]"), (.infinity, "[     |     ]"),
  ])
  func aroundTheMiddle(share: Double, text: String) {
    #expect(bar.around(zero: share) == text)
  }

  @Test func fromTheLeft() {
    #expect(bar.from(left: 0.5, mark: nil) == "[######     ]")
    #expect(bar.from(left: 1, mark: 0.5) == "[#####|#####]")
    #expect(bar.from(left: 0, mark: 1) == "[          |]")
    #expect(Bar(width: 5, isUnicode: true).from(left: 1, mark: nil) == "[\u{2588}\u{2588}\u{2588}]")
    #expect(Bar(width: 0, isUnicode: false).around(zero: 1) == "[ |#]")
  }
}
