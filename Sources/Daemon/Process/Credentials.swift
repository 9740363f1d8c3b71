internal import Glibc

/// A secret, and where it came from.
public struct Secret: Equatable, Sendable, CustomStringConvertible {
  /// The secret itself: not for logs.
  public var text: String
  /// For people: `/etc/judder/password`, `environment JUDDER_PASSWORD`.
  public var source: String
  /// What is doubtful about it, in one line; nil when nothing is.
  public var warning: String?

  /// Never the text itself.
  public var description: String { "secret from \(source)" }
}

/// Where secrets come from: files, systemd's credentials, the environment.
public struct Credentials: Sendable {
  private let environment: [String: String]

  /// Largest secret that is read [bytes].
  static let largestSecret = 65_536

  /// - Parameter environment: as `processEnvironment()` gives it; CREDENTIALS_DIRECTORY is systemd's.
  public init(environment: [String: String]) {
    self.environment = environment
  }

  /// Looks for a secret: the file, then `$CREDENTIALS_DIRECTORY/<name>`, then the environment variable.
  ///
  /// - Parameter file: the path from the configuration; nil when none is set. One that is set has to be readable.
  /// - Parameter name: of the systemd credential, for example `mqtt-password`.
  /// - Parameter variable: an empty one counts as none.
  /// - Returns: nil when there is none.
  /// - Throws: one line that says what is wrong with the place that was found first.
  public func secret(file: String?, name: String, variable: String) throws(Termination) -> Secret? {
    if let file { return try read(file) }
    if let path = path(of: name), access(path, F_OK) == 0 { return try read(path) }
    guard let text = environment[variable], !text.isEmpty else { return nil }
    return Secret(text: text, source: "environment \(variable)")
  }

  /// `$CREDENTIALS_DIRECTORY/<name>`, whether it exists or not; nil when systemd gave no folder.
  public func path(of name: String) -> String? {
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty, !name.contains("/") else { return nil }
    return "\(folder)/\(name)"
  }

  /// Reads a secret from a file, without the line break at its end.
  public func read(_ path: String) throws(Termination) -> Secret {
    var bytes: [UInt8]
    do throws(FileError) {
      bytes = try readSmallFile(path, limit: Credentials.largestSecret)
    } catch {
      let code: ExitCode = error.code == EACCES || error.code == EPERM ? .permission : .configuration
      throw Termination(code, ["\(path): the secret \(error.text)"])
    }
    if bytes.last == UInt8(ascii: "\n") {
      bytes.removeLast()
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    }
    guard !bytes.isEmpty else { throw Termination(.configuration, ["\(path): the secret is empty"]) }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw Termination(.configuration, ["\(path): the secret must be UTF-8 text without NUL"])
    }
    return Secret(text: text, source: path, warning: warning(path))
  }

  private func warning(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IROTH != 0 else { return nil }
    return "\(path): every user can read this secret; chmod o-r it"
  }
}
