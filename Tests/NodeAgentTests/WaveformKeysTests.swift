import Daemon
import NodeLogic
import Testing

@testable import NodeAgent

@Suite struct WaveformKeysTests {
  private func load(_ text: String) throws -> NodeConfiguration {
    try NodeConfiguration(
      Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: [:],
      hostName: "pump-2")
  }

  @Test func waveformsAreOffUnlessSwitchedOn() throws {
    #expect(try load("").logic.motion?.waveform == nil)
    #expect(try load("[waveform]\npre_s = 2").logic.motion?.waveform == nil)
    #expect(try load("[waveform]\nenabled = true").logic.motion?.waveform == WaveformSettings())
  }

  @Test func everyValueArrives() throws {
    let text = "[waveform]\nenabled = true\npre_s = 2.5\nmax_s = 30\nchunk_bytes = 4000\nmax_per_hour = 5"
    var expected = WaveformSettings()
    expected.preS = 2.5
    expected.maxS = 30
    expected.chunkBytes = 4000
    expected.maxPerHour = 5
    #expect(try load(text).logic.motion?.waveform == expected)
    #expect(try load(text.replacing("true", with: "false")).waveform == expected, "replay --waveforms wants them")
  }

  @Test(arguments: ["pre_s = 11", "pre_s = -1", "max_s = 0", "chunk_bytes = 399", "max_per_hour = 0"])
  func whatIsOutOfRangeIsAMistake(line: String) {
    #expect(throws: ConfigurationFailure.self) { try load("[waveform]\n\(line)") }
  }
}
