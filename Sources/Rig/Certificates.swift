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
  }

  /// Its own certificate, for those who are to trust it.
  public let certificateFile: String
  private let keyFile: String
  private let name: String
  private let workplace: Workplace

  /// Makes a root. Two of different names know nothing of each other.
  public init(_ name: String = "authority", in workplace: Workplace) throws {
    self.name = name
    self.workplace = workplace
    certificateFile = workplace.path("\(name).crt")
    keyFile = workplace.path("\(name).key")
    try openssl(
      ["req", "-x509"] + newKey(keyFile) + ["-out", certificateFile, "-days", "30", "-subj", "/CN=Judder \(name)"]
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
    try openssl(
      ["x509", "-req", "-in", request, "-CA", certificateFile, "-CAkey", keyFile, "-CAcreateserial"]
        + ["-out", identity.certificateFile, "-extfile", extensionFile, "-days", validity == .expired ? "-1" : "30"])
    return identity
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
