public import Telemetry

/// Everything that can happen to a node.
public enum NodeInput: Sendable {
  case accelerometer(AccelerometerReport)
  case gpsd(GpsdInput)
  /// The connection to the broker was made (true) or lost (false).
  case link(isConnected: Bool)
  /// The broker is about to end the connection for a reason of its own, which it names; `link` follows.
  case thrownOut
  /// The broker acknowledged an event.
  case delivered(UInt64)
  /// The broker acknowledged an event, and says that nobody subscribes to it.
  case unheard(UInt64)
  /// The broker does not let this node publish an event of this stream.
  case denied(UInt64)
  /// The broker refused an event, for good or for now.
  case refused(UInt64, isPermanent: Bool)
  /// Something came on the topic of acknowledgements: what a fleet tool has stored.
  case acknowledged([UInt8])
  /// The spool tells something.
  case spool(SpoolWord)
  /// The session could not take an event just now: its queue is full.
  case full(UInt64)
  /// A message that nobody waits for could not be handed over.
  case dropped
  /// Something came on the node's command topic.
  case command([UInt8], isRetained: Bool)
  /// What became of `NodeEffect.set`.
  case answered(ReplyMessage)
  /// How to turn instants into wall time from now on.
  case clock(ClockState)
  /// The machine was suspended for so long [s], > 0: since the input before, the monotonic clock stood. To be followed
  /// by `clock`, which is the system clock as it is then.
  case suspended(seconds: Double)
  /// The answer to `NodeEffect.measureUsage`.
  case usage(ProcessLoad)
  /// Time has passed: see `Node.nextDeadline`.
  case tick
  /// The agent is about to end.
  case stop
}

/// What the process costs, as the kernel counts it.
public struct ProcessLoad: Equatable, Sendable {
  /// Resident memory [kB of 1024 bytes]; nil when unknown.
  public var residentKB: Int?
  /// Processor time since the start [s]; nil when unknown.
  public var processorS: Double?

  public init(residentKB: Int?, processorS: Double?) {
    self.residentKB = residentKB
    self.processorS = processorS
  }
}

/// What a node asks the shell to do.
public enum NodeEffect: Equatable, Sendable {
  /// Hand this to the broker session now.
  case publish(Outgoing)
  /// Say this to whoever runs the node.
  case log(Note)
  /// Answer with `NodeInput.usage`.
  case measureUsage
  /// Somebody watches: wake a sensor that sleeps, and let none sleep before this moment. One that has passed lets it
  /// sleep again.
  case keepAwake(until: Instant)
  /// Give a key of the configuration another value, and keep that over a restart; then answer with
  /// `NodeInput.answered`, of the same id and verb.
  case set(CommandMessage)
  /// Nothing to do: what became of a fix, for whoever watches. Comes before the message that it leads to.
  case decided(FixDecision)
  /// Keep this over a restart, in the place of what was kept before.
  case keep(LocationRecord)
  /// Hand this to the spool. Comes before the publication of the same event.
  case spool(SpoolWish)
}

/// A line for the log, with the reason in it.
public struct Note: Equatable, Sendable {
  /// How much it matters to people.
  public enum Level: Sendable {
    case info, notice, warning
  }

  public var level: Level
  /// What it is about; the same text about the same thing is said once.
  public var topic: String
  public var text: String

  public init(_ level: Level, _ topic: String, _ text: String) {
    self.level = level
    self.topic = topic
    self.text = text
  }
}
