internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// `judder-fleet nodes --quarantine`: who spoke and was not taken in, as the last `run` noted it.
enum QuarantineList {
  /// What the database has of it; nil when nobody was turned away.
  static func note(_ reader: HistoryReader) throws(StoreProblem) -> QuarantineNote? {
    var text: [UInt8]?
    try reader.load { part in text = part.notes[QuarantineNote.key] ?? text }
    return text.flatMap { QuarantineNote($0) }
  }

  static func show(_ history: History) throws(Termination) {
    let pattern = NamePattern(history.invocation.operands.first ?? "*")
    let note = try history.stored { () throws(StoreProblem) in try QuarantineList.note(history.reader) }
    let entries = note?.entries.filter { pattern.matches($0.name.description) } ?? []
    guard !history.isJSON else {
      for entry in entries { try history.json(entry.json) }
      return
    }
    guard let note else { return try history.line("no node was turned away") }
    try history.line(
      "about \(note.nodes) nodes were not taken in, \(note.messages) messages, as of \(note.time.second), "
        + "\(Age.text(history.now - note.time)) ago")
    for entry in entries {
      let name = entry.name.description
      let gap = String(repeating: " ", count: max(1, 32 - name.utf8.count))
      try history.line(
        "\(name)\(gap)\(entry.reason)  \(entry.count) messages, \(entry.first.second) to \(entry.last.second)")
    }
  }
}

extension QuarantineNote.Entry {
  /// One object, without a line's end.
  fileprivate var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("node", name.description)
      json.string("reason", reason)
      json.integer("count", count)
      json.number("first_t", first.seconds, decimals: 0)
      json.number("last_t", last.seconds, decimals: 0)
    }
    return json.bytes
  }
}
