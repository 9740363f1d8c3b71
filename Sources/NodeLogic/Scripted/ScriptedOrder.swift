public import Telemetry

/// What a scripted node goes through because a script says so. What concerns its process or its connection (a death, a
/// return) is the shell's.
public enum ScriptedOrder: Equatable, Sendable {
  /// It is shaken: largest acceleration [g], how long [s].
  case shake(peakG: Double, forS: Double)
  /// It is shaken so often, evenly within so many seconds.
  case burst(count: Int, withinS: Double, peakG: Double)
  /// It is struck: largest acceleration [g].
  case strike(peakG: Double)
  /// It has no position any more, for this reason.
  case loseFix(LocationMessage.Loss.Reason)
  case regainFix
  /// It sets off to a place so far from its home [m].
  case move(eastM: Double, northM: Double, speedMPS: Double)
  /// Its receiver says that it is so far from its home [m], at once.
  case teleport(eastM: Double, northM: Double)
  /// Another side comes up.
  case tip(Face)
  /// What its system clock shows from now on.
  case clock(ScriptedClock)
}

/// What the system clock of a scripted node shows.
public enum ScriptedClock: Equatable, Sendable {
  /// The time, and what it is worth on this machine.
  case right
  /// As if the node had been started in 1970; nothing vouches for it.
  case of1970
  /// It was set once, and so many seconds wrong: positive is late.
  case off(seconds: Double)
}
