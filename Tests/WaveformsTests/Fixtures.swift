import Telemetry
import Waveforms

let pump = NodeName("pump-7")!
let boot = BootID(0x00c0_ffee)

/// A segment whose x counts up from `from`, y down, and z stays; its counts tell when they were measured.
func segment(
  from: Int, count: Int, start: Double, stepS: Double = 0.01, unitG: Double = 1e-4
) -> WaveformSegment {
  let numbers = from..<from + count
  return WaveformSegment(
    start: WallTime(seconds: start), stepS: count > 1 ? stepS : 0, unitG: unitG, x: numbers.map { Int32($0) },
    y: numbers.map { Int32(-$0) }, z: numbers.map { _ in 9987 })
}

func waveform(_ segments: [WaveformSegment], clock: ClockQuality = .ntp, node: NodeName = pump) -> Waveform {
  Waveform(node: node, boot: boot, shake: 3, clock: clock, segments: segments)
}

extension Instant {
  /// So that tests can write moments as plain seconds.
  static func s(_ seconds: Double) -> Instant { Instant(seconds: seconds) }
}
