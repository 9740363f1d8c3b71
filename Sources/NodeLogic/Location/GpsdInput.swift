/// What the connection to gpsd tells the logic.
public enum GpsdInput: Equatable, Sendable {
  /// The connection came up or went down, once per change.
  case link(GpsdLink)
  case report(GpsdReport)
  /// A line that could not be used.
  case unreadable(GpsdLineProblem)
}

/// Whether gpsd answers.
public enum GpsdLink: Equatable, Sendable {
  /// gpsd answered and took our WATCH, or said why it does not (a device it does not know).
  case up(release: String?)
  /// `reason` is one line for people, without the host. The session goes on trying.
  case down(reason: String)
}
