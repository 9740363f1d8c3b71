internal import Foundation

/// A shell that outlives this process by a moment and ends the children that it left behind: a test run that is killed
/// leaves no gpsd and no broker.
///
/// The kernel's own way (PR_SET_PDEATHSIG of prctl(2)) would tie a child to the thread that started it, and threads
/// that run tests come and go.
///
/// `@unchecked Sendable`: the pipe is written to behind `lock` and `Process` is never touched again.
final class OrphanGuard: @unchecked Sendable {
  static let shared = OrphanGuard()

  private let lock = NSLock()
  private let pipe = Pipe()
  private let shell = Process()

  private init() {
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    // Its input ends when this process does, however that comes about. `+1 -1` leaves nothing to kill.
    shell.arguments = [
      "-c",
      """
      trap '' INT TERM HUP
      children=' '
      while read -r change; do
        case $change in
        +*) children="$children${change#+} " ;;
        -*)
          gone=" ${change#-} "
          case $children in *"$gone"*) children="${children%%"$gone"*} ${children#*"$gone"}" ;; esac
          ;;
        esac
      done
      kill -9 $children 2>/dev/null
      """,
    ]
    shell.standardInput = pipe
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    // Without it children are left behind as they would be anyway.
    try? shell.run()
  }

  func watch(_ child: Int32) { tell("+\(child)\n") }
  func forget(_ child: Int32) { tell("-\(child)\n") }

  private func tell(_ line: String) {
    lock.withLock {
      guard shell.isRunning else { return }
      try? pipe.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    }
  }
}
