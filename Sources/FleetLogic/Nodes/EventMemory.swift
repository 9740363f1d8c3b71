internal import Telemetry

/// The content of a node's last events, by number, so that another event under the same number is noticed.
struct EventMemory: Equatable, Sendable {
  /// Events remembered.
  static let capacity = 16

  private struct Entry: Equatable, Sendable {
    var boot: BootID
    var sequence: UInt64
    var content: UInt64
  }

  private var entries: [Entry] = []
  private var next = 0

  /// Remembers an event, and answers whether another one is remembered under its number. The first stays.
  mutating func note(_ envelope: Envelope, _ content: UInt64) -> Bool {
    guard let sequence = envelope.sequence else { return false }
    if let known = entries.first(where: { $0.sequence == sequence && $0.boot == envelope.boot }) {
      return known.content != content
    }
    let entry = Entry(boot: envelope.boot, sequence: sequence, content: content)
    if entries.count < Self.capacity {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.capacity
    }
    return false
  }
}

extension Telegram {
  /// A number that stands for what an event says, whatever its node thought the time was, and however often it sent it:
  /// FNV-1a (Fowler, Noll and Vo) with 64 bits, of its content without any time of the calendar.
  var content: UInt64 {
    var timeless = self
    timeless.envelope.time = nil
    timeless.envelope.clock = nil
    timeless.body.forgetTimes()
    return timeless.encode().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension Telegram.Body {
  /// Takes out what changes from one sending to the next: the times of the node's clock, and the mark of a backlog.
  fileprivate mutating func forgetTimes() {
    let never = WallTime(seconds: 0)
    switch self {
    case .shake(var message):
      message.start = never
      message.end = message.end.map { _ in never }
      self = .shake(message)
    case .waveform(var message):
      message.start = never
      self = .waveform(message)
    case .impact(var message):
      message.start = never
      self = .impact(message)
    case .freeFall(var message):
      message.start = never
      self = .freeFall(message)
    case .location(.fixed(var position)):
      position.received = position.received.map { _ in never }
      position.isBacklog = false
      self = .location(.fixed(position))
    case .location(.lost(var loss)):
      if loss.last != nil { loss.last?.time = never }
      loss.isBacklog = false
      self = .location(.lost(loss))
    case .status, .acceleration, .orientation, .geofence, .health, .reply, .evicted: break
    }
  }
}
