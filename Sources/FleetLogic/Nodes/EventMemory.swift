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
  /// FNV-1a (Fowler, Noll and Vo) with 64 bits, of its content without what may change from one sending to the next.
  var content: UInt64 {
    var timeless = self
    timeless.envelope.time = nil
    timeless.envelope.clock = nil
    timeless.body.forgetTimes()
    return timeless.encode().reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

extension Telegram.Body {
  /// Takes out what changes from one sending to the next: the times of the node's clock, ages and spans that count a
  /// sleep of the machine, and the mark of a backlog.
  fileprivate mutating func forgetTimes() {
    let never = WallTime(seconds: 0)
    switch self {
    case .shake(var message):
      message.start = never
      message.end = nil
      message.place?.fixAgeS = 0
      self = .shake(message)
    case .waveform(var message):
      message.start = never
      self = .waveform(message)
    case .impact(var message):
      message.start = never
      message.place?.fixAgeS = 0
      self = .impact(message)
    case .freeFall(var message):
      message.start = never
      message.place?.fixAgeS = 0
      self = .freeFall(message)
    case .geofence(var message):
      message.ageS = 0
      message.insideS = nil
      self = .geofence(message)
    case .location(let message): self = .location(message.timeless)
    case .status, .acceleration, .orientation, .health, .reply, .evicted: break
    }
  }
}

extension LocationMessage {
  fileprivate var timeless: LocationMessage {
    switch self {
    case .fixed(var position):
      position.received = nil
      position.fixTime = nil
      position.ageS = 0
      position.lostS = nil
      position.isBacklog = false
      return .fixed(position)
    case .lost(var loss):
      loss.last?.time = WallTime(seconds: 0)
      loss.last?.ageS = 0
      loss.isBacklog = false
      return .lost(loss)
    }
  }
}
