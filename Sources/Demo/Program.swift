internal import Foundation
internal import Rig

/// judder-demo: the whole of Judder on this machine, without hardware and without a keyboard. See `make demo`.
@main
enum Program {
  private static let usage = """
    usage: judder-demo [--keep]

    Starts a broker, gpsd, three nodes and the fleet tool on private ports, shakes, kills and starves the nodes, and
    says what was seen. It takes about 40 s and ends with 0 only if all of it was.

      --keep   go on until Ctrl-C
      --help   this text

    """

  static func main() {
    let arguments = Set(CommandLine.arguments.dropFirst())
    if arguments.contains("--help") {
      FileHandle.standardOutput.write(Data(usage.utf8))
      exit(0)
    }
    guard arguments.isSubset(of: ["--keep"]) else {
      complain(usage)
      exit(64)
    }
    Interruption.watch()
    exit(perform(isKept: arguments.contains("--keep")))
  }

  /// Everything that was started has ended, and every file is gone, when this returns.
  private static func perform(isKept: Bool) -> Int32 {
    do {
      let cast = try Cast(columns: columns())
      defer { cast.close() }
      return try Show(cast, isKept: isKept).run()
    } catch {
      // Ctrl-C reaches every program of the terminal, so that the others may have ended first.
      if Interruption.isRequested { return Interruption.exitStatus }
      complain("judder-demo: \(error)\n")
      return 69
    }
  }

  /// Of the terminal, less the margin of the table; 112 where there is none.
  private static func columns() -> Int {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return 112 }
    return min(max(Int(size.ws_col) - 8, 60), 160)
  }

  private static func complain(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
