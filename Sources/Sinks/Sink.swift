public import FleetLogic

/// Where alerts go: people, files, other systems.
///
/// A sink must not wait: what it cannot hand on at once it refuses, by throwing. To add a kind, write one type that
/// conforms, a case of `SinkSettings.Kind`, and a line in `makeSink`.
public protocol Sink: AnyObject {
  /// As it is called in the configuration and in the log.
  var name: String { get }

  /// Hands an alert on, or throws why it could not.
  func deliver(_ alert: Alert) throws(SinkProblem)

  /// Hands on what a slow receiver has not taken yet, as far as that is possible without waiting. Answers whether
  /// something still waits: then it is to be called again in a while.
  func flush() throws(SinkProblem) -> Bool

  /// Whatever it keeps open is opened anew: a file may have been moved away.
  func reopen()
}

extension Sink {
  /// Nothing ever waits.
  public func flush() throws(SinkProblem) -> Bool { false }

  /// There is nothing to open.
  public func reopen() {}
}

/// Why a sink did not take an alert. Two problems of the same text are the same problem.
public struct SinkProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line, safe to show.
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

/// What the configuration says about one sink.
public struct SinkSettings: Equatable, Sendable {
  /// What becomes of an alert.
  public enum Kind: String, CaseIterable, Sendable {
    /// Lines for people.
    case console
    /// One JSON object a line: see `FleetJSON`.
    case json
    /// Retained messages at the broker. The fleet's state asks for these itself, so that there is no object for it.
    case mqtt
  }

  /// What logs call it.
  public var name: String
  /// What becomes of an alert.
  public var kind: Kind
  /// Lines are added to the end of this file; nil: standard output.
  public var file: String?

  public init(name: String, kind: Kind, file: String? = nil) {
    self.name = name
    self.kind = kind
    self.file = file
  }
}

/// The sink that the settings ask for; nil for `mqtt`, which the fleet's state serves with its own publications.
public func makeSink(_ settings: SinkSettings) -> (any Sink)? {
  let outlet = settings.file.map { LineOutlet(file: $0) } ?? LineOutlet(descriptor: 1, label: "standard output")
  return switch settings.kind {
  case .console: LineSink(name: settings.name, outlet) { Array(PlainLine.of($0).utf8) }
  case .json: LineSink(name: settings.name, outlet) { FleetJSON.alert($0) }
  case .mqtt: nil
  }
}
