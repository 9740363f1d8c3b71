import BrokerLink
import Daemon
import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing
import WebServer

@testable import FleetWatch

@Suite struct HTTPKeysTests {
  private func read(_ text: String, _ environment: [String: String] = [:]) throws -> HTTPFace? {
    try HTTPFace(
      Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), environment: environment)
  }

  private func problem(_ text: String) -> String {
    do {
      _ = try read(text)
      return ""
    } catch let failure as ConfigurationFailure {
      return failure.problems.map(\.description).joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  @Test func withoutAPortNothingIsAnswered() throws {
    #expect(try read("") == nil)
    #expect(try read("[http]\nper_node = true") == nil)
  }

  @Test func onLoopbackNoTokenIsNeeded() throws {
    let face = try #require(try read("[http]\nport = 9464"))
    #expect(face.server.place == "127.0.0.1:9464" && face.server.token == nil && face.nodes == 0)
    #expect(try read("[http]\nport = 9464\nper_node = true")?.nodes == 1000)
    #expect(try read("[http]\nport = 9464\naddress = \"::1\"\nper_node = true\nmax_nodes = 7")?.nodes == 7)
  }

  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1"])
  func whereOthersReachItATokenIsNeeded(address: String) throws {
    let text = "[http]\nport = 9464\naddress = \"\(address)\""
    #expect(problem(text).hasPrefix("fleet.toml:3:11: http.address is reached by other machines"), "\(problem(text))")
    let place = try Workplace("http")
    let file = try place.write("token", "s3cret\n")
    #expect(try read("\(text)\ntoken_file = \"\(file)\"")?.server.token == "s3cret")
    _ = try place.write("http-token", "other")
    #expect(try read(text, ["CREDENTIALS_DIRECTORY": place.folder.path])?.server.token == "other")
  }

  @Test func whatIsNoTokenIsSaid() throws {
    let place = try Workplace("http")
    for text in ["two words", "\n", "gr\u{FC}n"] {
      let file = try place.write("token", text)
      let said = problem("[http]\nport = 1\ntoken_file = \"\(file)\"")
      #expect(said.hasPrefix("fleet.toml:3:14: http.token_file ") && !said.contains("words"), "\(said)")
    }
    #expect(problem("[http]\nport = 1\ntoken_file = \"/nowhere\"").contains("/nowhere"))
  }

  @Test func anAddressIsInFigures() {
    #expect(problem("[http]\naddress = \"localhost\"").contains("must be an address in figures"))
    #expect(problem("[http]\nport = 0").contains("http.port"))
  }

  @Test func checkListensForAMoment() throws {
    var face = try #require(try read("[http]\nport = \(Workplace.freePort())"))
    #expect(face.finding.severity == .good && face.finding.text.contains("/metrics"))
    let server = try WebServer(WebServerSettings(port: 0)) { _ in Page(503, body: []) }
    face.server.port = server.port
    #expect(face.finding.severity == .good && face.finding.text.contains("in use"))
    face.server.address = "192.0.2.1"
    #expect(face.finding.severity == .problem && face.finding.remedy != nil)
    server.stop()
  }
}

@Suite struct AdmissionKeysTests {
  private func read(_ text: String) throws -> Admission {
    try Admission(Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"))
  }

  private func problem(_ text: String) -> String {
    do {
      _ = try read(text)
      return ""
    } catch let failure as ConfigurationFailure {
      return failure.problems.map(\.description).joined(separator: "\n")
    } catch {
      return "\(error)"
    }
  }

  @Test func everyNodeIsAdmittedUnlessTheyAreListed() throws {
    #expect(try read("") == .all)
    let patterns = [NamePattern("pump-*"), NamePattern("gate-?")]
    #expect(try read("[fleet]\nadmit = \"listed\"\nallow = [\"pump-*\", \"gate-?\"]") == .listed(patterns))
    #expect(try read("[fleet]\nadmit = \"listed\"\n[node.\"a\"]\ntitle = \"A\"") == .listed([]))
  }

  @Test func whatWouldNotWorkIsSaid() {
    #expect(problem("[fleet]\nallow = [\"a\"]").hasPrefix("fleet.toml:2:9: fleet.allow does nothing while every node"))
    #expect(problem("[fleet]\nadmit = \"listed\"").hasPrefix("fleet.toml:2:9: fleet.admit lets no node in"))
    #expect(problem("[fleet]\nadmit = \"listed\"\nallow = [\"Pump\"]").contains("must be patterns of a to z"))
    #expect(problem("[fleet]\nadmit = \"listed\"\nallow = [\"\"]").contains("must be patterns of a to z"))
    #expect(problem("[fleet]\nadmit = \"some\"").contains("fleet.admit"))
  }
}
