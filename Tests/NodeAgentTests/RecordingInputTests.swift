import Daemon
import Foundation
import NodeLogic
import Testing

@testable import NodeAgent

@Suite struct RecordingInputTests {
  private func read(_ text: String, times: ClosedRange<Double>? = nil) throws -> (samples: Int, warning: String?) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var samples = 0
    let warning = try readRecording(file.path, times: times) { _ in samples += 1 }
    return (samples, warning?.replacing(file.path, with: "FILE"))
  }

  @Test func aLastLineThatIsCutOffIsSaidAndTheRestIsRead() throws {
    #expect(try read("t,x,y,z\n0,0,0,1\n0.02,0,0,1\n0.04,0,-") == (2, "FILE: line 4 is cut off and left out"))
    #expect(try read("t,x,y,z\n0,0,0,1\n0.02,0,0,1") == (2, nil))
  }

  @Test func aTimeThatNoMessageHasEndsTheProgram() {
    #expect(throws: Termination.self) { try read("1,0,0,1\n1796030848925,0,0,1\n", times: 0...7_258_118_399) }
  }
}
