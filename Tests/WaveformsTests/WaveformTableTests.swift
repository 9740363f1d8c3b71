import NodeLogic
import Telemetry
import Testing
import Waveforms

@Suite("Waveform table")
struct WaveformTableTests {
  private func text(_ waveform: Waveform) -> String { String(decoding: WaveformTable.encode(waveform), as: UTF8.self) }

  @Test func itHasAHeaderAndLinesThatEndAsTheRFCSays() {
    let table = text(waveform([segment(from: -1, count: 3, start: 1_796_011_531.890312)]))
    #expect(
      table == """
        t,x,y,z\r
        1796011531.890312,-0.0001,0.0001,0.9987\r
        1796011531.900312,0.0000,0.0000,0.9987\r
        1796011531.910312,0.0001,-0.0001,0.9987\r\n
        """)
  }

  @Test(arguments: [
    (5e-5, "0.00015"), (0.001, "0.003"), (1, "3"), (2.5, "7.5"), (1e-9, "0.000000003"), (0.000061035, "0.000183105"),
    (1000, "3000"),
  ])
  func everyUnitIsWrittenExactly(unitG: Double, value: String) {
    let lines = text(waveform([segment(from: 3, count: 1, start: 10, unitG: unitG)])).split(separator: "\r\n")
    #expect(lines[1].split(separator: ",")[1] == value)
  }

  @Test func whatNoSensorMeasuresIsStillANumber() throws {
    let absurd = waveform([segment(from: Int(Int32.max) - 1, count: 1, start: 10, unitG: 999.999999999)])
    let field = try #require(text(absurd).split(separator: "\r\n").last?.split(separator: ",")[1])
    #expect((try #require(Double(field)) / 2.147483646e12 - 1).magnitude < 1e-6)
  }

  @Test func replayReadsItBack() throws {
    let chunks = [
      segment(from: -20, count: 45, start: 1_796_011_531.890312, stepS: 0.010013),
      segment(from: 25, count: 1, start: 1_796_011_533, stepS: 0),
    ]
    var reader = RecordingReader()
    var samples = try reader.feed(WaveformTable.encode(waveform(chunks)))
    if let last = try reader.finish() { samples.append(last) }
    #expect(samples.count == 46)
    for (index, sample) in samples.enumerated() {
      let time = index < 45 ? 1_796_011_531.890312 + Double(index) * 0.010013 : 1_796_011_533
      #expect((sample.at.seconds - time).magnitude < 1e-6)
      #expect(sample.g == Vector(Double(index - 20) / 10_000, -Double(index - 20) / 10_000, 0.9987))
    }
  }

  @Test func aListOfFormatsIsReadAsPeopleWriteIt() {
    #expect(WaveformFormat.list("csv, mseed") == [.csv, .mseed])
    #expect(WaveformFormat.list("mseed") == [.mseed])
    #expect(WaveformFormat.list(" csv ,csv") == [.csv])
    for wrong in ["", ",", "csv,", "sac", "csv mseed"] { #expect(WaveformFormat.list(wrong) == nil, "\(wrong)") }
  }

  @Test func theNameOfAFileIsMadeOfValidatedParts() {
    #expect(waveform([segment(from: 0, count: 1, start: 0)]).fileStem == "pump-7-00c0ffee-3")
  }
}
