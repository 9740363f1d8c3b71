public import FleetLogic

/// Writes each alert as one line.
public final class LineSink: Sink {
  /// As in the configuration.
  public let name: String
  private let outlet: LineOutlet
  private let line: (Alert) -> [UInt8]

  /// - Parameter line: an alert as a line, without its end.
  public init(name: String, _ outlet: LineOutlet, line: @escaping (Alert) -> [UInt8]) {
    self.name = name
    self.outlet = outlet
    self.line = line
  }

  /// Writes the line, or keeps it for a slow reader. One that may have been told before a restart is not written again
  /// where it stands in the file already.
  public func deliver(_ alert: Alert) throws(SinkProblem) {
    let line = line(alert)
    if alert.mayHaveBeenTold, outlet.holds(line) { return }
    try outlet.write(line)
  }

  /// Hands on what a slow reader has not taken yet.
  public func flush() throws(SinkProblem) -> Bool { try outlet.flush() }

  /// Opens the file anew.
  public func reopen() { outlet.reopen() }
}
