import Foundation
import Rig
import Telemetry
import Testing
import Waveforms

@Suite("miniSEED")
struct MiniSEEDTests {
  /// 2026-11-30T04:05:31.890312Z, day 334 of the year.
  private let start = 1_796_011_531.890312

  private func records(_ waveform: Waveform, network: String = "XX") throws -> [SEEDReader] {
    try SEEDReader.records(MiniSEED.encode(waveform, SEEDNames(waveform.node, network: network)))
  }

  @Test func aRecordHasWhatTheManualSaysInItsPlace() throws {
    let all = try records(waveform([segment(from: 10, count: 50, start: start)]), network: "JU")
    #expect(all.map(\.channel) == ["HN1", "HN2", "HN3"])
    #expect(all.map(\.number) == ["000001", "000002", "000003"])
    let first = try #require(all.first)
    #expect(first.network == "JU" && first.quality == "D" && first.location != "00")
    #expect(first.time == "2026,334,04:05:31.8903" && first.microseconds == 12)
    #expect(first.encoding == 3, "32-bit integers")
    #expect(first.nominalRateHz == 100 && first.rateHz == 100)
    #expect(first.activityFlags == 0 && first.clockFlags == 0x20 && first.qualityFlags == 0)
    #expect(first.timingQuality == 100)
    #expect(first.samples == (10..<60).map { 100 * $0 }, "one count is 1 ug")
    #expect(all[1].samples == (10..<60).map { -100 * $0 })
    #expect(all[2].samples == Array(repeating: 998_700, count: 50))
  }

  @Test func aLongWaveformGoesOnOverRecordsAndChunksWithTheTimeOfEachFirstSample() throws {
    let chunks = (0..<4).map { segment(from: $0 * 45, count: 45, start: start + Double($0) * 0.45) }
    let x = try records(waveform(chunks)).filter { $0.channel == "HN1" }
    #expect(x.map(\.samples.count) == [96, 84])
    #expect(x.flatMap(\.samples) == (0..<180).map { 100 * $0 })
    #expect(x[1].time == "2026,334,04:05:32.8503" && x[1].microseconds == 12)
    #expect(Set(x.map(\.rateHz)) == [100])
  }

  @Test func aHoleBeginsAnotherRecordAndNothingIsPutIntoIt() throws {
    let x = try records(
      waveform([segment(from: 0, count: 20, start: start), segment(from: 23, count: 20, start: start + 0.23)])
    ).filter { $0.channel == "HN1" }
    #expect(x.map(\.samples.count) == [20, 20])
    #expect(x[1].time == "2026,334,04:05:32.1203")
  }

  @Test func measuredRatesOfChunksBecomeOneRateWhereTheyMeet() throws {
    let first = segment(from: 0, count: 40, start: start, stepS: 0.01001)
    let second = segment(from: 40, count: 40, start: start + 0.4004, stepS: 0.00999)
    let x = try records(waveform([first, second])).filter { $0.channel == "HN1" }
    #expect(x.map(\.samples.count) == [80])
    let span = 0.4004 + 39 * 0.00999
    #expect((Double(x[0].rateHz) - 79 / span).magnitude < 1e-5)
  }

  @Test func aLoneSampleTakesTheRateOfItsNeighbours() throws {
    let x = try records(
      waveform([
        segment(from: 0, count: 1, start: start), segment(from: 9, count: 1, start: start + 0.09),
        segment(from: 20, count: 10, start: start + 0.2), segment(from: 30, count: 1, start: start + 0.3),
      ])
    ).filter { $0.channel == "HN1" }
    #expect(x.map(\.samples.count) == [1, 1, 11])
    #expect(x.allSatisfy { ($0.rateHz - 100).magnitude < 0.001 }, "a time of this century is good to 0.25 us")
  }

  @Test(arguments: [
    (ClockQuality.ntp, 0x20, 0, 100), (.gps, 0x20, 0, 80), (.rtc, 0, 0, 30), (.none, 0, 0x80, 0),
  ])
  func itSaysWhatItsTimesAreWorth(clock: ClockQuality, lock: Int, doubt: Int, percent: Int) throws {
    let first = try #require(try records(waveform([segment(from: 0, count: 5, start: start)], clock: clock)).first)
    #expect(Int(first.clockFlags) == lock && Int(first.qualityFlags) == doubt && Int(first.timingQuality) == percent)
  }

  @Test(arguments: [
    (0.0, "1970,001,00:00:00.0000", 0), (0.00005, "1970,001,00:00:00.0001", -50),
    (951_782_399.99996, "2000,060,00:00:00.0000", -40), (1_735_689_599.999949, "2024,366,23:59:59.9999", 49),
    (1_735_689_599.99995, "2025,001,00:00:00.0000", -50), (4_107_542_400, "2100,060,00:00:00.0000", 0),
    (7_258_118_399.5, "2199,365,23:59:59.5000", 0),
  ])
  func timesAreRoundedToTheNearestStepAndTheRestIsApart(seconds: Double, time: String, rest: Int) throws {
    let first = try #require(try records(waveform([segment(from: 0, count: 2, start: seconds)])).first)
    #expect(first.time == time && first.microseconds == rest)
  }

  @Test(arguments: [
    (3200.0, "FN1", 3200.0), (1600.4, "FN1", 1600.4), (800, "CN1", 800), (99.873, "HN1", 99.87), (50, "BN1", 50),
    (1.5625, "MN1", 1.5625), (0.5, "LN1", 0.5), (40_000, "FN1", 32_767),
  ])
  func theRateIsInTheBandAndAsFineAsTheHeaderHasRoomFor(rateHz: Double, channel: String, nominal: Double) throws {
    let first = try #require(
      try records(waveform([segment(from: 0, count: 9, start: start, stepS: 1 / rateHz)])).first)
    #expect(first.channel == channel)
    #expect((first.nominalRateHz / nominal - 1).magnitude < 1e-4)
    #expect((Double(first.rateHz) / rateHz - 1).magnitude < 1e-6)
  }

  @Test func everyUnitOfTheContractBecomesTheSameUnit() throws {
    let counts: [(Double, Int32)] = [(5e-5, 50), (1e-3, 1000), (1e-9, 0), (5e-7, 1), (1.5e-6, 2), (0.01, 10_000)]
    for (unitG, microG) in counts {
      let first = try #require(
        try records(waveform([segment(from: 1, count: 2, start: start, unitG: unitG)])).first)
      #expect(first.samples[0] == microG, "\(unitG)")
    }
    let second = try records(waveform([segment(from: 1, count: 2, start: start, unitG: 1.5e-6)]))[1]
    #expect(second.samples == [-2, -3])
  }

  @Test func whatDoesNotFitIsRefusedWithTheValue() {
    let strong = waveform([segment(from: 21_474, count: 2, start: start, unitG: 0.1)])
    #expect(throws: WaveformProblem.tooStrong(g: 2147.5)) { try MiniSEED.encode(strong, SEEDNames(pump)) }
    let absurd = waveform([segment(from: Int(Int32.max) - 2, count: 2, start: start, unitG: 1000)])
    #expect(throws: WaveformProblem.self) { try MiniSEED.encode(absurd, SEEDNames(pump)) }
  }

  @Test func shortNamesAreStationsAndTheOthersHaveAnotherLocation() throws {
    let plain = SEEDNames(try #require(NodeName("p7")))
    #expect(plain.station == "P7" && plain.location == "00" && plain.network == "XX")
    #expect(SEEDNames(try #require(NodeName("bench"))).station == "BENCH")
    var seen: Set<String> = []
    for index in 0..<20_000 {
      let names = SEEDNames(try #require(NodeName("node-\(index)")))
      #expect(names.station.wholeMatch(of: #/[A-Z0-9]{5}/#) != nil)
      #expect(names.location.wholeMatch(of: #/[A-Z0-9]{2}/#) != nil && names.location != "00")
      seen.insert("\(names.station).\(names.location)")
    }
    #expect(seen.count == 20_000)
    #expect(SEEDNames(pump) == SEEDNames(pump))
    #expect(["XX", "7", "9Z"].allSatisfy(SEEDNames.isNetwork))
    #expect(!["", "xx", "XYZ", "X ", "Ä"].contains(where: SEEDNames.isNetwork))
  }

  @Test(.enabled(if: ObsPy.isPresent, "\(ObsPy.absence)"), .timeLimit(.minutes(2)))
  func obsPyReadsItBack() throws {
    let place = try Workplace("obspy")
    let chunks = (0..<7).map { index in
      // A clock 0.13 % fast, and a hole of 0.25 s before the sixth.
      segment(
        from: index * 45, count: 45, start: start + Double(index * 45) * 0.010013 + (index >= 5 ? 0.25 : 0),
        stepS: 0.010013)
    }
    for clock in ClockQuality.allCases {
      let file = place.path("\(clock).mseed")
      let bytes = try MiniSEED.encode(waveform(chunks, clock: clock), SEEDNames(pump, network: "XX"))
      try Data(bytes).write(to: URL(filePath: file))
      let traces = try ObsPy.read(file, in: place)
      let names = SEEDNames(pump)
      let id = "XX.\(names.station).\(names.location).HN"
      #expect(traces.map(\.id) == [1, 1, 2, 2, 3, 3].map { "\(id)\($0)" }, "joined, but not over the hole")
      #expect(traces[0].samples == (0..<225).map { 100 * $0 })
      #expect(traces[1].samples == (225..<315).map { 100 * $0 })
      #expect(traces[3].samples == (225..<315).map { -100 * $0 })
      #expect(traces[0].startNs == 1_796_011_531_890_312_000)
      let after = start + 225 * 0.010013 + 0.25
      #expect((Double(traces[1].startNs) / 1e9 - after).magnitude < 1e-6)
      #expect((traces[0].rateHz * 0.010013 - 1).magnitude < 1e-6)
      #expect(traces[0].isLocked == (clock == .ntp || clock == .gps))
      #expect(traces[0].isQuestionable == (clock == .none))
      #expect(traces[0].timingQuality == [.ntp: 100, .gps: 80, .rtc: 30, ClockQuality.none: 0][clock])
    }
  }

  @Test(.enabled(if: ObsPy.isPresent, "\(ObsPy.absence)"), .timeLimit(.minutes(2)))
  func obsPyJoinsChunksWhoseRatesWereMeasuredApart() throws {
    let place = try Workplace("obspy")
    var chunks: [WaveformSegment] = []
    var time = start
    for index in 0..<30 {
      // Polled samples: each chunk's rate is a little other.
      let stepS = 0.01 * (1 + 0.004 * sin(Double(index)))
      chunks.append(segment(from: index * 45, count: 45, start: time, stepS: stepS))
      time += 45 * stepS
    }
    let file = place.path("joined.mseed")
    try Data(MiniSEED.encode(waveform(chunks), SEEDNames(pump))).write(to: URL(filePath: file))
    let traces = try ObsPy.read(file, in: place)
    #expect(traces.count == 3)
    #expect(traces[0].samples == (0..<1350).map { 100 * $0 })
  }
}
