internal import Telemetry

/// Which nodes are taken in.
public enum Admission: Equatable, Sendable {
  /// Every one, as long as there is room.
  case all
  /// Those that the configuration has a label for, and those that fit one of these patterns, as long as there is room.
  case listed([NamePattern])

  /// Whether a node without a label may be taken in.
  func admits(_ name: NodeName) -> Bool {
    switch self {
    case .all: true
    case .listed(let patterns): patterns.contains { $0.matches(name.description) }
    }
  }
}
