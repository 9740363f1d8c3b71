import FleetLogic
import Foundation
import Sinks
import Telemetry
import Testing

func alert(_ state: AlertMessage.State = .firing, node: String = "pallet-7") throws -> Alert {
  let at = Moment(instant: Instant(seconds: 100), wall: WallTime(seconds: 1_796_000_000))
  return Alert(
    id: "shake/\(node)/1795999990.000", rule: "shake", kind: .shake, severity: .warning,
    subject: .node(try #require(NodeName(node))), state: state, previous: nil,
    at: at, since: WallTime(seconds: 1_795_999_990), count: 2, value: 1.8,
    summary: "\(node) shook 2 times, peak 1.80 g",
    reason: "a shake began")
}

/// A sink that fails as it is told to.
final class FickleSink: Sink {
  let name: String
  var problem: SinkProblem?
  var taken: [Alert] = []
  var reopened = 0

  init(_ name: String, _ problem: SinkProblem? = nil) {
    self.name = name
    self.problem = problem
  }

  func deliver(_ alert: Alert) throws(SinkProblem) {
    if let problem { throw problem }
    taken.append(alert)
  }

  func reopen() { reopened += 1 }
}

/// A pipe whose ends are closed with it.
final class ShortPipe {
  let reading: Int32
  let writing: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (reading, writing) = (ends[0], ends[1])
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// What is there now.
  func takeAll() -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(reading, &piece, piece.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += piece[..<count]
    }
  }
}

func temporaryPath() -> String { NSTemporaryDirectory() + "/judder-sinks-\(UUID().uuidString)" }
