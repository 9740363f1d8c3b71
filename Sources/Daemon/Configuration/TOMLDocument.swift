internal import CTOML

/// A TOML text as a flat list of values with their places.
struct TOMLDocument {
  /// One step of a path.
  enum Step: Equatable {
    case key(String)
    case index(Int)
  }

  enum Value: Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case time
    case table
    case list
  }

  /// Line and column, from 1.
  struct Place: Comparable {
    var line: Int
    var column: Int

    static func < (a: Place, b: Place) -> Bool { (a.line, a.column) < (b.line, b.column) }
  }

  struct Entry {
    var path: [Step]
    var value: Value
    /// Where the key stands; for an element of a list, where the element does.
    var keyPlace: Place
    var place: Place
  }

  struct SyntaxError: Error, Equatable {
    var text: String
    var place: Place
  }

  /// In the order of the text.
  let entries: [Entry]

  init(_ text: [UInt8]) throws(SyntaxError) {
    let parsed = text.withUnsafeBytes { bytes in
      judder_toml_parse(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    guard let parsed else { throw SyntaxError(text: "out of memory", place: Place(line: 1, column: 1)) }
    defer { judder_toml_free(parsed) }
    var line: UInt32 = 0
    var column: UInt32 = 0
    if let error = judder_toml_error(parsed, &line, &column) {
      throw SyntaxError(
        text: printableLine(String(cString: error)), place: Place(line: max(1, Int(line)), column: max(1, Int(column))))
    }
    entries = (0..<judder_toml_count(parsed)).compactMap { index in
      judder_toml_entry_at(parsed, index).map { Entry($0.pointee) }
    }.sorted { a, b in (a.keyPlace, a.path.count) < (b.keyPlace, b.path.count) }
  }
}

extension TOMLDocument.Entry {
  fileprivate init(_ entry: judder_toml_entry) {
    path = UnsafeBufferPointer(start: entry.steps, count: entry.step_count).map { step in
      step.index >= 0 ? .index(Int(step.index)) : .key(decode(step.key, step.length))
    }
    value =
      switch entry.kind {
      case JUDDER_TOML_TEXT: .text(decode(entry.text, entry.text_length))
      case JUDDER_TOML_INTEGER: .integer(Int(entry.integer))
      case JUDDER_TOML_NUMBER: .number(entry.number)
      case JUDDER_TOML_FLAG: .flag(entry.flag != 0)
      case JUDDER_TOML_TABLE: .table
      case JUDDER_TOML_LIST: .list
      default: .time
      }
    keyPlace = TOMLDocument.Place(line: Int(entry.key_line), column: Int(entry.key_column))
    place = TOMLDocument.Place(line: Int(entry.line), column: Int(entry.column))
  }
}

private func decode(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
  String(decoding: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: length), as: UTF8.self)
}
