internal import Telemetry

/// What the outbox did that is worth a line in the log.
enum OutboxNotice: Equatable, Sendable {
  /// The spool works, and holds so many events of earlier runs.
  case opened(Int)
  /// Events of another name of this node are there.
  case aside(String)
  /// Nothing can be kept on the disk just now, but so many bytes in memory.
  case trouble(String, Int)
  /// The disk takes events again.
  case works
  /// So many words about what was given up are lost themselves.
  case untold(Int)
  case damaged(SpoolDamage)
  /// Events were given up: there was no room in memory.
  case unsaved
  /// The spool gave events up.
  case evicted(SpoolEviction.Reason)
  case refused(Stream)
  /// The broker ended the connection over an event again and again.
  case poison(Stream)
  case denied(Stream)
  case unheard(Stream)
  /// The broker takes what it denied, or somebody subscribes to what nobody did.
  case open(Stream)
  /// A fleet tool has acknowledged this node for the first time.
  case fleet

  /// One line.
  var note: Note {
    switch self {
    case .opened(let events):
      Note(.info, "spool", events == 0 ? "spool: nothing waits" : "spool: \(events) events of earlier runs wait")
    case .aside(let what): Note(.warning, "spool name", "spool: \(what)")
    case .trouble(let why, let memoryBytes):
      Note(
        .warning, "spool",
        "spool: \(why); until then events are kept in memory (up to \(memoryBytes / 1000) kB), and "
          + "a power cut would lose them")
    case .works: Note(.notice, "spool", "spool: events are kept on the disk")
    case .untold(let count):
      Note(
        .warning, "spool untold",
        "spool: \(count) notes of what was given up had no room to wait: the fleet tool will miss their numbers")
    case .damaged(let damage):
      damage.isTorn
        ? Note(.info, "spool damage", "spool: \(damage.text); nothing in it had been stored")
        : Note(.warning, "spool damage", "spool: \(damage.text); health.spool.damaged counts it")
    case .evicted(.damaged):
      Note(.warning, "spool loss", "events on the disk cannot be read; a message of the stream evicted says which")
    case .unsaved:
      Note(
        .warning, "spool room",
        "the oldest events in memory are given up for want of room; health.spool.evicted counts them; raise "
          + "spool.memory_mb, or set spool.directory")
    case .evicted(.cap):
      Note(
        .warning, "spool room",
        "the oldest events on the disk are given up for want of room; health.spool.evicted counts them; raise "
          + "spool.cap_mb")
    case .evicted(.age):
      Note(.notice, "spool age", "events older than spool.cap_h are given up; health.spool.evicted counts them")
    case .refused(let stream):
      Note(
        .warning, "refused",
        "the broker refuses \(stream.rawValue) messages for good; they are given up and counted")
    case .poison(let stream):
      Note(
        .warning, "refused",
        "the broker ends the connection over a \(stream.rawValue) message, again and again; it is given up and counted")
    case .denied(let stream):
      Note(
        .warning, "stream \(stream.rawValue)",
        "the broker does not let this node publish \(stream.rawValue) messages; they are kept, and tried again at the "
          + "next connection or in an hour; its access list decides")
    case .unheard(let stream):
      Note(
        .notice, "stream \(stream.rawValue)",
        "nobody subscribes to \(stream.rawValue) messages; they are kept until somebody does")
    case .open(let stream):
      // Under the topic of both, so that what comes back later is said again.
      Note(.notice, "stream \(stream.rawValue)", "\(stream.rawValue) messages are taken again")
    case .fleet:
      Note(.notice, "delivery", "a fleet tool acknowledges events; from now on they are kept until it has stored them")
    }
  }
}
