import Telemetry

@testable import NodeLogic

/// Events, and an outbox in short words.
enum OutboxFixture {
  static let boot = BootID(1)

  static func envelope(up: Double = 1) -> Envelope {
    Envelope(boot: boot, time: WallTime(seconds: up), clock: .ntp, uptime: up)
  }

  static func shake(_ id: Int, up: Double = 1) -> Telegram {
    let message = ShakeMessage(
      id: id, phase: .began, start: WallTime(seconds: 1), durationS: 0.4, peakG: 1, energyG2S: 0.1, cavGS: 0.2,
      reversals: 3, axis: .x)
    return Telegram(envelope(up: up), .shake(message))
  }

  static func location(_ latitude: Double) -> Telegram {
    let position = LocationMessage.Position(
      dimensions: 3, latitude: latitude, longitude: 8, ageS: 0, cause: .distance)
    return Telegram(envelope(), .location(.fixed(position)))
  }

  static func chunk(_ number: Int) -> Telegram {
    let message = WaveformMessage(
      id: 1, chunk: number, isLast: false, start: WallTime(seconds: 1), periodS: 0.01, unitG: 0.001,
      x: Array(repeating: 1000, count: 40), y: Array(repeating: 0, count: 40), z: Array(repeating: 0, count: 40))
    return Telegram(envelope(), .waveform(message))
  }
}

extension Outbox {
  /// Without a spool.
  init(capacityBytes: Int, window: Int = 20, _ delivery: OutboxSettings.Delivery = .auto) {
    var settings = OutboxSettings()
    settings.memoryBytes = capacityBytes
    settings.window = window
    settings.delivery = delivery
    self.init(boot: OutboxFixture.boot, settings)
  }

  /// The numbers of what is handed over now.
  mutating func sent(at now: Instant) -> [UInt64] { next(at: now).compactMap(\.telegram.envelope.sequence) }

  /// What is told of losses, as if it were sent now.
  mutating func told(at now: Instant) -> [EvictedMessage] { takeTellings(at: now, isForced: true).map(\.message) }
}
