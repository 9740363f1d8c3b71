internal import Foundation

/// Another client of a gpsd, which keeps what it says word for word: to compare with what a client under test makes of
/// it.
///
/// `@unchecked Sendable`: everything that changes is behind `lock`.
public final class Eavesdropper: @unchecked Sendable {
  private let lock = NSLock()
  private var heard: [UInt8] = []
  private var isStopped = false

  /// Watches the gpsd on this port of 127.0.0.1.
  ///
  /// - Throws: `RigError` when nobody listens.
  public init(_ port: Int) throws {
    guard let connection = Loopback.connect(port: port) else { throw RigError("no gpsd on port \(port)") }
    guard Loopback.write(connection, Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)) else {
      close(connection)
      throw RigError("gpsd takes no WATCH on port \(port)")
    }
    let thread = Thread { [weak self] in
      defer { close(connection) }
      while let self, !self.lock.withLock({ self.isStopped }) {
        guard Loopback.isReadable(connection, milliseconds: 50) else { continue }
        guard let bytes = Loopback.read(connection) else { return }
        self.lock.withLock { self.heard += bytes }
      }
    }
    thread.start()
  }

  deinit { stop() }

  /// Ends the connection.
  public func stop() { lock.withLock { isStopped = true } }

  /// The objects of a class so far, read without this project's own decoder.
  public func objects(ofClass name: String) -> [[String: any Sendable]] {
    lock.withLock { heard }.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: any Sendable]
      return object?["class"] as? String == name ? object : nil
    }
  }
}
