internal import Foundation

/// A terminal without a screen: what is written to one end can be read at the other. See pty(7).
///
/// `@unchecked Sendable`: used only by the thread that owns the value.
public final class PseudoTerminal: @unchecked Sendable {
  /// The path of the end that a program takes for a terminal.
  public let name: String
  /// Our end.
  let master: Int32
  /// The other end, held open: the terminal exists before a program opens it and after it closed it.
  let slave: Int32
  private var isHungUp = false

  /// - Throws: `RigError` when the kernel has none left.
  public init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // ioctl_tty(2): TIOCSPTLCK unlocks the other end, TIOCGPTN asks for its number. Their values in asm-generic, which
    // the Glibc module leaves out.
    var locked: Int32 = 0
    var number: UInt32 = 0
    guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0
    else { throw RigError("no pseudo-terminal: \(String(cString: strerror(errno)))") }
    name = "/dev/pts/\(number)"
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard slave >= 0 else { throw RigError("\(name): \(String(cString: strerror(errno)))") }
  }

  deinit {
    hangUp()
    close(slave)
  }

  /// Hangs up. The number stays taken while this value lives: another terminal under the same name would look to a
  /// program as if this one had come back.
  public func hangUp() {
    guard !isHungUp else { return }
    isHungUp = true
    close(master)
  }

  /// Says how large the screen would be: TIOCSWINSZ of ioctl_tty(2).
  public func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(clamping: rows), ws_col: UInt16(clamping: columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, 0x5414, &size)
  }

  /// Types on its keyboard.
  public func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(master, bytes, bytes.count)
  }

  /// Whether it hands over lines and shows what is typed, as a shell leaves it: ICANON and ECHO of termios(3).
  public var isInLineMode: Bool {
    var settings = termios()
    guard tcgetattr(slave, &settings) == 0 else { return false }
    return settings.c_lflag & UInt32(ICANON) != 0 && settings.c_lflag & UInt32(ECHO) != 0
  }

  /// What was written since the last time.
  public func read() -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLIN) != 0 {
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }
}
