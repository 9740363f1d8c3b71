import NodeLogic
import Spool
import Telemetry

// For the trace, without what is long.

extension SpoolWish {
  var summary: String {
    switch self {
    case .append(let event, let note, _):
      "append \(event.sequence) \(event.stream)\(note.map { " note \($0)" } ?? "")"
    default: "\(self)"
    }
  }
}

extension SpoolReport {
  var summary: String {
    switch self {
    case .fetched(let fetched): fetched.summary
    case .state(let state): "state \(state.lanes.map(\.events)) \(state.trouble?.text ?? "works")"
    default: "\(self)"
    }
  }
}

extension SpoolFetched {
  fileprivate var summary: String {
    let numbers = records.map { "\(BootID($0.boot)) \($0.sequence)" }
    return "fetched \(id) \(numbers)\(isEnd ? " end" : "")"
  }
}
