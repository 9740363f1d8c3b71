internal import Foundation
internal import Rig

/// What happens when, and what is printed.
final class Show {
  /// Seconds from the start.
  private static let killAt = 9.0
  private static let restartAt = 16.0
  private static let killFleetAt = 19.0
  private static let restartFleetAt = 20.5
  private static let endAt = 36.0
  /// What was not seen by then is missing.
  private static let giveUpAt = 75.0
  /// Between two looks at the table.
  private static let tableEveryS = 4.0

  private let cast: Cast
  private let isKept: Bool
  private let begin = DispatchTime.now()
  private var isKilled = false
  private var isRestarted = false
  private var isFleetKilled = false
  private var isFleetRestarted = false
  private var nextTable = 1.5

  init(_ cast: Cast, isKept: Bool) {
    self.cast = cast
    self.isKept = isKept
  }

  private var elapsedS: Double { Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9 }

  /// Runs to the end. Answers the exit status.
  func run() throws -> Int32 {
    say("pallet-7 plays a recording, with a receiver on a drive; pump-2 and crate-3 are simulated")
    while !isOver() {
      if Interruption.isRequested { return Interruption.exitStatus }
      try step()
      usleep(100_000)
    }
    if isKept { return try keep() }
    say("the nodes are asked to end")
    let ends = cast.stopNodes()
    return report(Summary(cast.ledger, endedCleanly: ends))
  }

  private func isOver() -> Bool {
    elapsedS >= Show.endAt && (elapsedS >= Show.giveUpAt || Summary(cast.ledger, endedCleanly: nil).isComplete)
  }

  private func step() throws {
    relay()
    if !isKilled, elapsedS >= Show.killAt {
      isKilled = true
      say("\(Cast.killed) is killed (SIGKILL), as by a power cut")
      cast.kill(Cast.killed)
    }
    if !isRestarted, elapsedS >= Show.restartAt {
      isRestarted = true
      say("\(Cast.killed) is started again")
      try cast.start(Cast.killed)
    }
    try killFleet()
    guard isKilled == isRestarted, isFleetKilled == isFleetRestarted, let casualty = cast.casualty() else { return }
    throw RigError(casualty)
  }

  /// Events wait at the nodes meanwhile, and no alert is told twice.
  private func killFleet() throws {
    if !isFleetKilled, elapsedS >= Show.killFleetAt {
      isFleetKilled = true
      say("judder-fleet run is killed (SIGKILL)")
      cast.killFleet()
    }
    if !isFleetRestarted, elapsedS >= Show.restartFleetAt {
      isFleetRestarted = true
      say("judder-fleet run is started again, with its database")
      try cast.startFleet()
    }
  }

  /// Prints alerts and fences entered as they come, and the table when it is due and has changed.
  private func relay() {
    for line in cast.listen() { say(line) }
    guard elapsedS >= nextTable else { return }
    nextTable = elapsedS + Show.tableEveryS
    guard let table = cast.table() else { return }
    say("the fleet:")
    for line in table { put(line.isEmpty ? "" : "        \(line)") }
  }

  /// Leaves everything running until it is interrupted.
  private func keep() throws -> Int32 {
    let status = report(Summary(cast.ledger, endedCleanly: nil))
    put(
      """

      It goes on until Ctrl-C. Watch it from another terminal:
        mosquitto_sub -h 127.0.0.1 -p \(cast.broker.port) -t 'judder/#' -t 'judder-fleet/#' -v
        .build/debug/judder-fleet watch -h 127.0.0.1 -p \(cast.broker.port)

      """)
    while !Interruption.isRequested {
      for line in cast.listen() { say(line) }
      if let casualty = cast.casualty() { throw RigError(casualty) }
      usleep(100_000)
    }
    return status
  }

  private func report(_ summary: Summary) -> Int32 {
    put("")
    for line in summary.lines(isColoured: isatty(STDOUT_FILENO) == 1) { put(line) }
    put("")
    if summary.isComplete {
      put("Everything was seen, in \(Int(elapsedS.rounded())) s.")
      return 0
    }
    put("Something is missing. What the programs logged last:")
    for line in cast.complaints() { put(line) }
    return 1
  }

  private func say(_ text: String) { put(String(format: "%5.1f s ", elapsedS) + text) }

  private func put(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
