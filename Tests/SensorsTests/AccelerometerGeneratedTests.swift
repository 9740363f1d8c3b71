import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Calls a source at its own deadlines on a clock that only the test moves.
private func samples(_ source: any AccelerometerSource, seconds: Double, calls: inout Int) -> [Sample] {
  var (now, samples): (Instant, [Sample]) = (.start, [])
  while now.seconds <= seconds {
    calls += 1
    for case .samples(let more) in source.handle(at: now) {
      samples += more
      if let last = more.last { #expect(last.at <= now, "a sample is never from the future") }
    }
    guard let next = source.nextDeadline, next > now else { break }
    now = next
  }
  return samples
}

@Suite struct RecordingSourceTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace("recording") }

  private func failure(_ file: String) -> String? {
    do {
      _ = try RecordingSource(file: file)
      return nil
    } catch {
      return error.description
    }
  }

  @Test func aRecordingIsPlayedInALoopWithoutASeam() throws {
    let lines = (0..<50).map { "\(1000 + Double($0) * 0.02),\($0),0,1" }
    let file = try workplace.write("walk.csv", "t,x,y,z\n" + lines.joined(separator: "\n") + "\n")
    let source = try RecordingSource(file: file)
    var calls = 0
    let samples = samples(source, seconds: 3.05, calls: &calls)
    #expect((148...153).contains(samples.count))
    for (index, sample) in samples.enumerated() {
      #expect(sample.g.x == Double(index % 50))
      #expect(abs(sample.at.seconds - Double(index) * 0.02) < 1e-9)
    }
    #expect(calls <= 18, "five batches a second")
  }

  @Test func aLastLineThatIsCutOffIsNotedAndTheRestIsPlayed() throws {
    let file = try workplace.write("torn.csv", "0,0,0,1\n0.02,0,0,1\n0.04,0,-")
    let notes = NoteBook()
    _ = try RecordingSource(file: file, note: notes.note)
    #expect(notes.lines == ["\(file): line 3 is cut off and left out"])
  }

  @Test func itIsAnnouncedByItsFileAndRate() throws {
    let file = try workplace.write("walk.csv", "0,0,0,1\n0.02,0,0,1\n0.04,0,0,1\n")
    let source = try RecordingSource(file: file)
    guard case .started(let description)? = source.handle(at: .start).first else {
      Issue.record("not announced")
      return
    }
    #expect(description.name == "walk.csv")
    #expect(abs(description.rateHz - 50) < 1e-9)
    #expect(description.source == .recording)
    #expect(description.capture == .generated)
  }

  @Test func afterALongSleepItGoesOnFromNow() throws {
    let file = try workplace.write("walk.csv", "0,0,0,1\n0.02,0,0,1\n0.04,0,0,1\n")
    let source = try RecordingSource(file: file)
    _ = source.handle(at: .start)
    let reports = source.handle(at: Instant(seconds: 3600))
    #expect(reports.contains(.gap))
    #expect(reports.count <= 2)
    for case .samples(let samples) in reports { #expect(samples.allSatisfy { $0.at.seconds > 3590 }) }
  }

  @Test func mistakesNameTheFileAndTheLine() throws {
    let broken = try workplace.write("broken.csv", "t,x,y,z\n0,0,0,1\n0.02,0,nought,1\n")
    #expect(failure(broken) == "\(broken): line 3, column 3 (y): \"nought\" is not a number")
    let missing = workplace.path("missing.csv")
    #expect(failure(missing) == "\(missing) cannot be read: No such file or directory")
  }

  @Test(arguments: ["0,0,0,1\n", "0,0,0,1\n0,0,0,1\n0,0,0,1\n", "3,0,0,1\n2,0,0,1\n1,0,0,1\n"])
  func aRecordingWithoutAPaceIsRefused(text: String) throws {
    #expect(failure(try workplace.write("still.csv", text)) != nil)
  }

  @Test func nothingComesAfterStop() throws {
    let source = try RecordingSource(file: try workplace.write("walk.csv", "0,0,0,1\n0.02,0,0,1\n"))
    source.stop()
    #expect(source.nextDeadline == nil)
    #expect(source.handle(at: Instant(seconds: 1)) == [])
  }
}

@Suite struct SimulatedSourceTests {
  private func samples(_ scenario: MotionScenario, seed: UInt64) -> [Sample] {
    var calls = 0
    let source = SimulatedSource(scenario: scenario, seed: seed, rateHz: 50)
    return SensorsTests.samples(source, seconds: 30, calls: &calls)
  }

  @Test(arguments: MotionScenario.allCases)
  func theSameSeedGivesTheSameSamples(scenario: MotionScenario) {
    let first = samples(scenario, seed: 7)
    #expect((1480...1502).contains(first.count))
    #expect(first == samples(scenario, seed: 7))
    #expect(first != samples(scenario, seed: 8))
  }

  @Test func samplesAreEvenlySpacedAtTheRate() {
    let samples = samples(.carried, seed: 1)
    for (before, after) in zip(samples, samples.dropFirst()) { #expect(abs(after.at - before.at - 0.02) < 1e-9) }
  }
}
