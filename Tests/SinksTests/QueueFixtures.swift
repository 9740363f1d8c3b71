import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

@testable import Sinks

/// Text that no terminal, shell, header or JSON reader may obey.
let hostile = "a\r\nBcc: x@evil.example\u{1b}[31m\u{202e}\"'\\{{rule}}$(touch pwned)`touch pwned`;\u{0}|&"

func alert(_ id: String, _ state: AlertMessage.State = .firing, summary: String? = nil) throws -> Alert {
  var alert = try alert(state)
  alert.id = id
  if let summary { (alert.summary, alert.reason) = (summary, summary) }
  return alert
}

func notice(_ id: String = "1", _ state: AlertMessage.State = .firing, summary: String? = nil) throws -> Notice {
  try #require(Notice(json: FleetJSON.alert(alert(id, state, summary: summary))))
}

/// Looks until it is so.
@discardableResult
func eventually(_ seconds: Double = 10, _ condition: () throws -> Bool) rethrows -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while Date() < deadline {
    if try condition() { return true }
    usleep(10_000)
  }
  return try condition()
}

/// A sink with a queue in a folder of its own, which keeps what it says.
final class SinkBench {
  let place: Workplace
  let sink: QueuedSink
  private(set) var settled: [String] = []
  private(set) var lines: [String] = []

  init(_ work: SinkSettings.Work, place: Workplace, tries: Int = 10, retryMaxS: Double = 0.05) throws {
    self.place = place
    var settings = SinkSettings(name: "slow", kind: .command)
    settings.work = work
    settings.queue = QueueSettings(folder: place.path("sinks/slow"), tries: tries, retryMaxS: retryMaxS)
    sink = try #require(makeSink(settings) as? QueuedSink)
    try sink.start()
  }

  deinit { sink.stop(withinS: 5) }

  func take() {
    let news = sink.takeSettled()
    settled += news.alerts.map(\.id)
    lines += news.entries.map(\.text)
  }

  var state: SinkState { sink.state ?? SinkState(name: "") }

  func waitForDelivery(_ count: Int) -> Bool {
    eventually {
      take()
      return state.delivered == count
    }
  }

  func files(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: place.path("sinks/slow/\(folder)"))) ?? []).sorted()
  }
}

extension Workplace {
  /// A shell script as a command.
  func script(_ name: String, _ text: String) throws -> [String] { ["/bin/sh", try write(name, text)] }

  func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }
}
