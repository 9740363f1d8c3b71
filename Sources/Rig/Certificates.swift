internal import Foundation

/// A small certificate authority, made by the openssl command: an EC root that signs brokers and clients.
public struct CertificateAuthority: Sendable {
  /// A certificate and its key, PEM files.
  public struct Identity: Sendable {
    /// PEM files of the certificate and of its key.
    public let certificateFile: String
    public let keyFile: String
  }

  /// When a certificate holds.
  public enum Validity: Sendable {
    case now
    case expired
    /// In days from now, each below or above 0.
    case days(from: Double, to: Double)

    fileprivate var range: (fromS: Double, toS: Double) {
      switch self {
      case .now: (-60, 30 * 86_400)
      case .expired: (-2 * 86_400, -86_400)
      case .days(let from, let to): (from * 86_400, to * 86_400)
      }
    }
  }

  /// Its own certificate, for those who are to trust it.
  public let certificateFile: String
  private let keyFile: String
  /// What `openssl ca` asks for: the authority's books.
  private let settings: String
  private let name: String
  private let workplace: Workplace

  /// Makes a root that holds for ten years. Two of different names know nothing of each other.
  public init(_ name: String = "authority", in workplace: Workplace) throws {
    self.name = name
    self.workplace = workplace
    certificateFile = workplace.path("\(name).crt")
    keyFile = workplace.path("\(name).key")
    let books = [
      "[ca]", "default_ca = judder", "[judder]", "database = \(try workplace.write("\(name).index", ""))",
      "new_certs_dir = \(workplace.folder.path)", "rand_serial = yes", "default_md = sha256", "policy = any",
      "unique_subject = no", "default_crl_days = 30", "[any]", "commonName = supplied",
    ]
    settings = try workplace.write("\(name).cnf", books.joined(separator: "\n") + "\n")
    try openssl(
      ["req", "-x509"] + newKey(keyFile) + ["-out", certificateFile, "-days", "3650", "-subj", "/CN=Judder \(name)"]
        + ["-addext", "keyUsage=critical,keyCertSign,cRLSign"])
  }

  /// Issues a broker's certificate.
  ///
  /// - Parameter names: what it stands for, as openssl writes it: `DNS:localhost`, `IP:127.0.0.1`.
  public func broker(
    _ file: String = "broker", names: [String] = ["DNS:localhost", "IP:127.0.0.1"], _ validity: Validity = .now
  ) throws -> Identity {
    try issue(
      file, subject: "Judder broker", validity,
      ["extendedKeyUsage=serverAuth", "subjectAltName=\(names.joined(separator: ","))"])
  }

  /// Issues a client's certificate for a common name.
  public func client(_ commonName: String, _ validity: Validity = .now) throws -> Identity {
    try issue(commonName, subject: commonName, validity, ["extendedKeyUsage=clientAuth"])
  }

  private func issue(
    _ file: String, subject: String, _ validity: Validity, _ extensions: [String]
  ) throws -> Identity {
    let stem = "\(name)-\(file)"
    let identity = Identity(certificateFile: workplace.path("\(stem).crt"), keyFile: workplace.path("\(stem).key"))
    let request = workplace.path("\(stem).csr")
    let lines = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"] + extensions
    let extensionFile = try workplace.write("\(stem).ext", lines.joined(separator: "\n") + "\n")
    try openssl(["req"] + newKey(identity.keyFile) + ["-out", request, "-subj", "/CN=\(subject)"])
    let (fromS, toS) = validity.range
    try ca(
      ["-batch", "-notext", "-in", request, "-out", identity.certificateFile, "-extfile", extensionFile]
        + ["-startdate", CertificateAuthority.date(fromS), "-enddate", CertificateAuthority.date(toS)])
    return identity
  }

  /// Takes certificates back, and answers the list of all that were: a PEM file for a broker's `crlfile`.
  public func revoke(_ identities: [Identity]) throws -> String {
    for identity in identities { try ca(["-revoke", identity.certificateFile]) }
    let list = workplace.path("\(name).crl")
    try ca(["-gencrl", "-out", list])
    return list
  }

  /// So many seconds from now, as GeneralizedTime.
  private static func date(_ seconds: Double) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "yyyyMMddHHmmss'Z'"
    return format.string(from: Date(timeIntervalSinceNow: seconds))
  }

  private func ca(_ arguments: [String]) throws {
    try openssl(["ca", "-config", settings, "-cert", certificateFile, "-keyfile", keyFile] + arguments)
  }

  private func newKey(_ file: String) -> [String] {
    ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file]
  }

  private func openssl(_ arguments: [String]) throws {
    let tool = try ChildProcess(
      "openssl", arguments, name: "openssl-\(UUID().uuidString.prefix(8))", in: workplace.folder)
    guard tool.wait(seconds: 20) == 0 else { throw RigError("openssl \(arguments[0]): \(tool.errorText())") }
  }
}
