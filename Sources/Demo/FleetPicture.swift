internal import Foundation
internal import Rig

/// `judder-fleet watch` on a terminal of its own, so that its table can be printed between other lines.
final class FleetPicture {
  private let terminal: PseudoTerminal
  private let process: ChildProcess
  /// What came after the last whole picture.
  private var rest: [UInt8] = []
  private var picture: [String] = []
  private var printed: [String] = []

  init(_ program: String, config: String, columns: Int, in workplace: Workplace, environment: [String: String]) throws {
    terminal = try PseudoTerminal()
    terminal.resize(columns: columns, rows: 16)
    process = try ChildProcess(
      program, ["watch", "--config", config, "--no-color"], name: "judder-fleet-watch", in: workplace.folder,
      environment: environment.merging(["TERM": "xterm"]) { $1 }, terminal: terminal)
  }

  var isRunning: Bool { process.isRunning }

  /// Reads what was drawn. To be called often: the tool waits while nobody reads.
  func update() {
    // Line ends come as \r\n, or \r\r\n by way of the terminal.
    rest += terminal.read().filter { $0 != UInt8(ascii: "\r") }
    // A picture begins with "cursor home" and ends with "erase to the end of the screen".
    let pieces = String(decoding: rest, as: UTF8.self).components(separatedBy: "\u{1B}[J")
    guard pieces.count > 1, let whole = pieces.dropLast().last else { return }
    rest = Array((pieces.last ?? "").utf8)
    let drawn = whole.components(separatedBy: "\u{1B}[H").last ?? ""
    picture = drawn.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "").components(separatedBy: "\n")
      .map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  /// The table as it is now; nil when nothing but ages changed since it was last asked for.
  func changed() -> [String]? {
    let bare = picture.map { $0.filter { !$0.isNumber } }
    guard !picture.isEmpty, bare != printed else { return nil }
    printed = bare
    return picture
  }

  /// Ends the tool; what it still draws is read, so that it does not wait.
  func stop() {
    process.send(signal: SIGTERM)
    if !waitUntil(
      seconds: 5,
      {
        update()
        return !process.isRunning
      })
    {
      process.stop(signal: SIGKILL)
    }
  }
}
