public import Telemetry

/// A key of a terminal.
public enum Key: Hashable, Sendable {
  /// A character that can be shown.
  case character(Unicode.Scalar)
  case up, down, left, right
  case pageUp, pageDown, home, end
  case enter, tab, escape, backspace
  /// Ctrl and a letter, `a` to `z`; those that have a name of their own come under that.
  case control(Unicode.Scalar)
}

/// Tells keys from the bytes that a terminal sends: UTF-8, and the sequences of ECMA-48 and of xterm.
///
/// An arrow begins with the byte of the escape key. Which of them it was is told by time: a byte that follows
/// within `escapeS` belongs to it.
public struct KeyDecoder: Equatable, Sendable {
  /// How long the next byte of a sequence may take [s]: on a slow line it comes in another packet.
  public static let escapeS = 0.1
  /// A sequence that is longer is none; its rest is taken as keys.
  static let longest = 32

  /// What may become a sequence or a character.
  private var held: [UInt8] = []
  private var heldSince = Instant.start

  public init() {}

  /// When `keys(at:)` is due, should nothing come until then; nil: nothing is held.
  public var deadline: Instant? { held.isEmpty ? nil : heldSince + Self.escapeS }

  /// The keys in `bytes`, and in what was held back before.
  public mutating func keys(_ bytes: [UInt8], at now: Instant) -> [Key] {
    var keys = keys(at: now)
    for byte in bytes {
      heldSince = now
      held.append(byte)
      settle(&keys)
    }
    return keys
  }

  /// What was held back for too long: a lone escape, or the beginning of nothing.
  public mutating func keys(at now: Instant) -> [Key] {
    guard let deadline, deadline <= now else { return [] }
    let isEscape = held == [0x1B]
    held = []
    return isEscape ? [.escape] : []
  }

  /// Takes from the front of what is held whatever is complete.
  private mutating func settle(_ keys: inout [Key]) {
    while let first = held.first {
      switch first {
      case 0x1B:
        guard let length = sequence(&keys) else { return }
        held.removeFirst(length)
      case 0x80...:
        guard let length = character(&keys) else { return }
        held.removeFirst(length)
      default:
        if let key = Self.plain(first) { keys.append(key) }
        held.removeFirst()
      }
    }
  }

  private static func plain(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x09: .tab
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
    case 0x20...0x7E: .character(Unicode.Scalar(byte))
    default: nil
    }
  }

  /// A character of several bytes: how many it takes; nil while it is not complete.
  private func character(_ keys: inout [Key]) -> Int? {
    let length = held[0] >= 0xF0 ? 4 : held[0] >= 0xE0 ? 3 : held[0] >= 0xC2 ? 2 : 1
    guard length > 1, held[0] < 0xF5 else { return 1 }
    // A byte that continues nothing is dropped, and what follows stands for itself.
    if let wrong = held.prefix(length).dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return wrong }
    guard held.count >= length else { return nil }
    let text = String(validating: held.prefix(length), as: UTF8.self)
    if let scalar = text?.unicodeScalars.first, scalar.value >= 0xA0 { keys.append(.character(scalar)) }
    return length
  }

  /// A sequence: how many bytes it takes; nil while it is not complete.
  private func sequence(_ keys: inout [Key]) -> Int? {
    guard held.count > 1 else { return nil }
    switch held[1] {
    case UInt8(ascii: "O"):
      guard held.count > 2 else { return nil }
      if let key = Self.final(held[2], parameters: []) { keys.append(key) }
      return 3
    case UInt8(ascii: "["):
      guard let end = held.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
        return held.count > Self.longest ? held.count : nil
      }
      // Linux consoles send a function key as `ESC [ [ A`.
      if held[end] == UInt8(ascii: "["), end == 2 { return held.count > 3 ? 4 : nil }
      guard (0x40...0x7E).contains(held[end]) else { return end }
      if let key = Self.final(held[end], parameters: Array(held[2..<end])) { keys.append(key) }
      return end + 1
    case 0x1B:
      keys.append(.escape)
      return 1
    default:
      // Escape, and at once another key.
      keys.append(.escape)
      return 1
    }
  }

  private static func final(_ byte: UInt8, parameters: [UInt8]) -> Key? {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "M"): .enter
    case UInt8(ascii: "~"):
      switch parameters.prefix(while: { $0 != UInt8(ascii: ";") }) {
      case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: .home
      case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: .end
      case [UInt8(ascii: "5")]: .pageUp
      case [UInt8(ascii: "6")]: .pageDown
      default: nil
      }
    default: nil
    }
  }
}
