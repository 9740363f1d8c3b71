import Foundation
import Rig
import Testing

/// What `deploy/certificates` refuses; what it makes is used by the guarded broker's tests.
@Suite("Certificates", .enabled(if: ChildProcess.find("openssl") != nil, "openssl is not installed"))
struct CertificatesTests {
  let workplace: Workplace

  init() throws {
    workplace = try Workplace("judder-certificates")
  }

  private func run(_ arguments: [String]) throws -> (status: Int32?, errors: String) {
    let script = GuardedBroker.root.appendingPathComponent("deploy/certificates").path
    let directory = ["--directory", workplace.path("judder")]
    let child = try ChildProcess(script, directory + arguments, name: "run-\(UUID())", in: workplace.folder)
    return (child.wait(seconds: 30), child.errorText())
  }

  @Test(
    "A name that could change an access rule is refused before anything is written",
    arguments: [
      ["node", "a/b"], ["node", "+"], ["node", "#"], ["node", "-a"], ["node", "A"], ["node", ""], ["node", "a b"],
      ["node", "a\nb"], ["node", "é"], ["node", String(repeating: "a", count: 64)], ["node", "judder-fleet"],
      ["node", "ca"], ["node", "server"], ["revoke", "../ca"], ["revoke", "ca"], ["server", "a,DNS:b"], ["server"],
      ["node"], ["node", "a", "b"], ["ca", "x"], ["fleet", "x"], ["unheard"], [], ["--days", "0", "ca"],
      ["--days", "x", "ca"], ["--unheard", "ca"],
    ])
  func refused(arguments: [String]) throws {
    let (status, errors) = try run(arguments)
    #expect(status == 64)
    #expect(!errors.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: workplace.path("judder")))
  }

  @Test("Nothing is made without an authority, and nothing is overwritten")
  func order() throws {
    let early = try run(["node", "pump-1"])
    #expect(early.status == 69)
    #expect(early.errors.contains("certificates ca"))
    #expect(try run(["ca"]).status == 0)
    #expect(try run(["ca"]).status == 73)
    #expect(try run(["node", "pump-1"]).status == 0)
    let before = try Data(contentsOf: URL(fileURLWithPath: workplace.path("judder/pump-1.key")))
    #expect(try run(["node", "pump-1"]).status == 73)
    #expect(try Data(contentsOf: URL(fileURLWithPath: workplace.path("judder/pump-1.key"))) == before)
  }

  @Test("Secrets can be read by their owner alone")
  func modes() throws {
    for arguments in [["ca"], ["server", "localhost"], ["node", "pump-1"]] { #expect(try run(arguments).status == 0) }
    for name in ["ca.key", "server.key", "pump-1.key"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: workplace.path("judder/\(name)"))
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }
}
