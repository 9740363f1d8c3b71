internal import Glibc
internal import Spool

/// Feeds a real spool and prints what it says, one line each, so that whoever kills it knows what was promised:
/// `SpoolDrill FOLDER BOOT CAP_BYTES EVENTS PACE_US`. A third of the events is released when it is stored;
/// it ends when all were appended and the spool has stopped.
///
/// Lines: `opened` (and `kept BOOT SEQ...`, `note ID BOOT RUNS`), `stored SEQ...`, `released BOOT SEQ...` (written
/// before the spool hears of it), `evicted ID BOOT RUNS`, `trouble TEXT`, `works`, `notstored SEQ...`, `slowest US`,
/// `stop US`, `stopped`.
@main
struct Program {
  static func main() {
    let arguments = CommandLine.arguments
    if let measure = Measure(arguments) { return measure.run() }
    guard arguments.count == 6, let boot = UInt32(arguments[2]), let capBytes = Int(arguments[3]),
      let events = UInt64(arguments[4]), let paceUS = UInt32(arguments[5])
    else {
      say("usage: SpoolDrill FOLDER BOOT CAP_BYTES EVENTS PACE_US")
      exit(64)
    }
    do {
      let spool = try SpoolThread(
        folder: arguments[1], boot: boot, limits: SpoolLimits(capBytes: capBytes, capAgeS: nil))
      var drill = Drill(spool: spool, boot: boot, events: events)
      drill.run(paceUS: paceUS)
    } catch {
      say("no thread: \(error)")
      exit(71)
    }
  }
}

/// One line in one write: it is whole or not there.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
