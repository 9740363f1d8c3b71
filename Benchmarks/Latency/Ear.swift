internal import Foundation
internal import Rig

/// Hears of shaken nodes at one place, and notes when. The stamp is taken when the bytes have been read, before anybody
/// looks at them.
///
/// `@unchecked Sendable`: what changes is behind `lock`.
final class Ear: @unchecked Sendable {
  static let shaken = "shaken-"

  let name: String
  private let before: [UInt8], after: [UInt8]
  private let lock = NSLock()
  private var first: [Int: Double] = [:]
  private var again = 0
  private var heard = 0

  /// - Parameters: what a line that counts has right before and after the node's number.
  init(_ name: String, before: String = Ear.shaken, after: String = "") {
    self.name = name
    self.before = Array(before.utf8)
    self.after = Array(after.utf8)
  }

  /// When each shaken node was heard of first, by its number.
  var arrivals: [Int: Double] { lock.withLock { first } }
  /// How many came more than once.
  var repeats: Int { lock.withLock { again } }
  /// Lines, of whatever kind.
  var lines: Int { lock.withLock { heard } }

  func take(_ line: some Collection<UInt8>, at nowS: Double) {
    let bytes = Array(line)
    let number = bytes.firstRange(of: before).flatMap { range in
      let digits = bytes[range.upperBound...].prefix { (48...57).contains($0) }
      return bytes[digits.endIndex...].starts(with: after) ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
    lock.withLock {
      heard += 1
      guard let number else { return }
      if first.updateValue(first[number] ?? nowS, forKey: number) != nil { again += 1 }
    }
  }

  /// Reads lines to the end of the stream, on a thread of its own.
  func listen(_ descriptor: Int32) {
    Thread.detachNewThread { [self] in
      var (rest, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 65_536))
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        let nowS = monotonicS()
        guard count > 0 else { return }
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          take(rest[..<end], at: nowS)
          rest.removeFirst(end + 1)
        }
      }
    }
  }
}

/// What hears, each at its place.
struct Ears {
  let yardstick = Ear("mosquitto_sub", after: "/shake ")
  let json = Ear("json"), mqtt = Ear("mqtt"), command = Ear("command"), webhook = Ear("webhook")

  /// The sinks of judder-fleet.
  var sinks: [Ear] { [json, mqtt, command, webhook] }
  var all: [Ear] { [yardstick] + sinks }
}
