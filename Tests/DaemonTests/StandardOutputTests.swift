import Daemon
import Foundation
import Testing

@Suite struct StandardOutputTests {
  @Test func linesGatherUntilFlushed() throws {
    let pipe = try TestPipe()
    let output = StandardOutput(descriptor: pipe.writer)
    #expect(!output.isTerminal)
    try output.line("a")
    try output.write("b")
    #expect(pipe.read() == "")
    try output.line("c")
    try output.flush()
    #expect(pipe.read() == "a\nbc\n")
    try output.flush()
    #expect(pipe.read() == "")
  }

  @Test func largePiecesGoOutByThemselves() throws {
    let pipe = try TestPipe()
    let output = StandardOutput(descriptor: pipe.writer)
    for _ in 0..<9 { try output.line(String(repeating: "x", count: 999)) }
    #expect(pipe.read().count >= 8192)
  }

  @Test func readerThatWentAwayIsACleanEnd() throws {
    let pipe = try TestPipe()
    let output = StandardOutput(descriptor: pipe.writer)
    pipe.closeReader()
    try output.line("x")
    let end = #expect(throws: Termination.self) { try output.flush() }
    #expect(end == Termination(.success))
  }

  @Test func fullDiskIsSaid() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let output = StandardOutput(descriptor: descriptor)
    try output.line("x")
    let end = #expect(throws: Termination.self) { try output.flush() }
    #expect(end == Termination(.temporary, ["standard output: No space left on device"]))
  }

  @Test func slowReaderOfANonBlockingPipeGetsEverything() throws {
    let pipe = try TestPipe()
    _ = fcntl(pipe.writer, F_SETFL, O_NONBLOCK)
    let output = StandardOutput(descriptor: pipe.writer)
    let reader = dup(pipe.reader)
    let done = DispatchSemaphore(value: 0)
    // nonisolated(unsafe): the test looks at it only after the semaphore says that the thread is done with it.
    nonisolated(unsafe) var count = 0
    Thread.detachNewThread {
      var piece = [UInt8](repeating: 0, count: 10_000)
      for _ in 0..<10_000 where count < 1_000_001 {
        usleep(200)
        count += max(0, read(reader, &piece, piece.count))
      }
      close(reader)
      done.signal()
    }
    try output.line(String(repeating: "x", count: 1_000_000))
    try output.flush()
    #expect(done.wait(timeout: .now() + 20) == .success)
    #expect(count == 1_000_001)
  }

  @Test func aPipeHasNoSizeAndNoColour() throws {
    let pipe = try TestPipe()
    #expect(Terminal.size(pipe.writer) == nil)
    #expect(!Terminal.wantsColour(pipe.writer, environment: ["TERM": "xterm"]))
  }

  @Test func aTerminalHasASizeAndColourUnlessNoneIsWanted() throws {
    // A pseudo-terminal by the kernel's own calls: TIOCSPTLCK unlocks it, TIOCGPTN tells its number. See pty(7).
    let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var isLocked: Int32 = 0
    var number: UInt32 = 0
    try #require(main >= 0 && ioctl(main, 0x4004_5431, &isLocked) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
    let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer {
      close(terminal)
      close(main)
    }
    #expect(Terminal.size(terminal) == nil)
    var size = winsize(ws_row: 25, ws_col: 90, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(main, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal.size(terminal) == Terminal.Size(columns: 90, rows: 25))
    #expect(Terminal.wantsColour(terminal, environment: ["TERM": "xterm"]))
    #expect(Terminal.wantsColour(terminal, environment: ["NO_COLOR": ""]))
    #expect(!Terminal.wantsColour(terminal, environment: ["NO_COLOR": "1"]))
    #expect(!Terminal.wantsColour(terminal, environment: ["TERM": "dumb"]))
    #expect(StandardOutput(descriptor: terminal).isTerminal)
  }
}
