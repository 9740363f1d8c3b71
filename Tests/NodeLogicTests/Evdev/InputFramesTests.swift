import NodeLogic
import Telemetry
import Testing

@Suite("Events of input devices")
struct InputFramesTests {
  private func abs(_ code: UInt16, _ value: Int32) -> InputEvent {
    InputEvent(timeNs: 5, type: 3, code: code, value: value)
  }
  private let report = InputEvent(timeNs: 7, type: 0, code: 0, value: 0)
  private let dropped = InputEvent(timeNs: 7, type: 0, code: 3, value: 0)

  @Test func bytesOfBothWordSizesAreRead() {
    // 3 s and 500 ms, EV_ABS, ABS_Y, -2.
    let wide: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 0x20, 0xa1, 7, 0, 0, 0, 0, 0, 3, 0, 1, 0, 0xfe, 0xff, 0xff, 0xff]
    let narrow: [UInt8] = [3, 0, 0, 0, 0x20, 0xa1, 7, 0, 3, 0, 1, 0, 0xfe, 0xff, 0xff, 0xff]
    let event = InputEvent(timeNs: 3_500_000_000, type: 3, code: 1, value: -2)
    #expect(InputEvent.size(wordBytes: 8) == wide.count && InputEvent.size(wordBytes: 4) == narrow.count)
    #expect(wide.withUnsafeBytes { InputEvent($0, at: 0, wordBytes: 8) } == event)
    #expect(narrow.withUnsafeBytes { InputEvent($0, at: 0, wordBytes: 4) } == event)
    #expect(([9] + wide).withUnsafeBytes { InputEvent($0, at: 1, wordBytes: 8) } == event, "at any place")
  }

  @Test func aFrameIsTheOneBeforeWithWhatIsNew() {
    var frames = InputFrames(state: RawScan(x: 1, y: 2, z: 250))
    #expect(frames.feed(abs(0, 10)) == .nothing)
    #expect(frames.feed(abs(2, 240)) == .nothing)
    #expect(frames.state == RawScan(x: 1, y: 2, z: 250), "nothing counts before its report")
    #expect(frames.feed(report) == .frame(RawScan(x: 10, y: 2, z: 240), timeNs: 7))
    #expect(frames.feed(abs(1, -5)) == .nothing)
    #expect(frames.feed(report) == .frame(RawScan(x: 10, y: -5, z: 240), timeNs: 7))
  }

  @Test func otherAxesAndKeysMakeNoDifference() {
    var frames = InputFrames(state: RawScan(x: 1, y: 2, z: 3))
    _ = frames.feed(abs(3, 99))
    _ = frames.feed(InputEvent(timeNs: 0, type: 1, code: 0, value: 99))
    #expect(frames.feed(report) == .frame(RawScan(x: 1, y: 2, z: 3), timeNs: 7))
  }

  @Test func afterALossNothingIsBelievedUntilTheStateWasAskedFor() {
    var frames = InputFrames(state: RawScan(x: 1, y: 2, z: 3))
    _ = frames.feed(abs(0, 50))
    #expect(frames.feed(dropped) == .nothing)
    #expect(frames.feed(abs(1, 60)) == .nothing)
    #expect(frames.feed(report) == .lost)
    #expect(frames.state == RawScan(x: 1, y: 2, z: 3))
    frames.set(RawScan(x: 4, y: 5, z: 6))
    _ = frames.feed(abs(2, 7))
    #expect(frames.feed(report) == .frame(RawScan(x: 4, y: 5, z: 7), timeNs: 7))
  }

  @Test func theEndOfTheScaleIsTheNearerOne() {
    #expect(InputAxis(value: 0, minimum: -4096, maximum: 4095).fullScaleG(unitsPerG: 256) == 4095.0 / 256)
    #expect(InputAxis(value: 0, minimum: 0, maximum: 0).fullScaleG(unitsPerG: 256) == nil)
    #expect(InputAxis(value: 0, minimum: 0, maximum: 255).fullScaleG(unitsPerG: 256) == nil)
    #expect(InputAxis(value: 0, minimum: .min, maximum: .max).fullScaleG(unitsPerG: 1) == 2_147_483_647)
  }
}

@Suite("Holding a state")
struct HeldStateTests {
  private func take(_ held: inout HeldState, before end: Double) -> [(x: Int64, at: Double)] {
    var taken: [(Int64, Double)] = []
    while let (scan, at) = held.take(before: .s(end)) { taken.append((scan.x, at.seconds)) }
    return taken
  }

  private func scan(_ x: Int64) -> RawScan { RawScan(x: x, y: 0, z: 1) }

  @Test func eachPointOfTheGridHasWhatWasToldLastBeforeIt() {
    var held = HeldState(rateHz: 10)
    #expect(take(&held, before: 5).isEmpty, "nothing is known yet")
    held.set(scan(1), at: .s(5))
    #expect(take(&held, before: 5.25).map(\.x) == [1, 1, 1])
    held.set(scan(2), at: .s(5.25))
    let next = take(&held, before: 5.5)
    #expect(next.map(\.x) == [2, 2])
    #expect(next.map(\.at) == [5.3, 5.4])
  }

  @Test func pointsDoNotDriftHoweverLongItGoesOn() {
    var held = HeldState(rateHz: 3)
    held.set(scan(1), at: .s(1))
    let all = take(&held, before: 10_001)
    #expect(all.count == 30_000)
    #expect(abs(all[29_999].at - (1 + 29_999 / 3.0)) < 1e-6)
  }

  @Test func whatLiesTooFarBackIsLeftOut() {
    var held = HeldState(rateHz: 10)
    held.set(scan(1), at: .s(0))
    let early = held.skip(to: .s(0))
    let late = held.skip(to: .s(100.05))
    #expect(!early && late)
    #expect(abs(held.next.seconds - 100.1) < 1e-9)
  }
}
