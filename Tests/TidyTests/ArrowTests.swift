import Testing

@Suite("Import arrows")
struct ArrowTests {
  @Test("Every source imports only what its target may")
  func sources() {
    let complaints = SourceTree.swiftSources.flatMap(Arrows.complaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
    #expect(!SourceTree.swiftSources.isEmpty)
  }

  @Test("Only MQTT imports CMosquitto and only Store CSQLite, in the tests too")
  func libraries() {
    let complaints = SourceTree.swift.flatMap(Arrows.libraryComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("Package.swift declares no dependency that is not an arrow")
  func manifest() throws {
    let declared = Arrows.declared(in: try #require(SourceTree.manifest))
    #expect(declared.count >= 10)
    for (target, dependencies) in declared.sorted(by: { $0.key < $1.key }) {
      let allowed = try #require(Arrows.allowed[target], "\(target) is not in the table of arrows")
      let extra = dependencies.subtracting(allowed)
      #expect(extra.isEmpty, "Package.swift lets \(target) depend on \(extra.sorted())")
    }
  }

  @Test("Neither program reaches Foundation", arguments: ["NodeAgent", "FleetWatch"])
  func withoutFoundation(program: String) throws {
    let declared = Arrows.declared(in: try #require(SourceTree.manifest))
    let reached = Arrows.closure(of: program, in: declared)
    #expect(reached.count > 3)
    for file in SourceTree.swiftSources where reached.contains(file.file.target ?? "") {
      let imports = Arrows.imports(of: file).map(\.module)
      #expect(!imports.contains { $0.hasPrefix("Foundation") || $0 == "Dispatch" }, "\(file.path)")
    }
  }

  @Test(
    "A forbidden import is found",
    arguments: [
      ("Sources/Telemetry/A.swift", "internal import Glibc"),
      ("Sources/Telemetry/Mathematics.swift", "internal import Glibc"),
      ("Sources/Telemetry/Mathematics.swift", "internal import func Glibc.time"),
      ("Sources/NodeLogic/A.swift", "internal import func Glibc.exp"),
      ("Sources/NodeLogic/A.swift", "public import Daemon"),
      ("Sources/Daemon/A.swift", "import Foundation"),
      ("Sources/Sensors/A.swift", "@preconcurrency import MQTT"),
      ("Sources/Unheard/A.swift", "let a = 1"),
    ])
  func found(path: String, text: String) {
    #expect(Arrows.complaints(of: SwiftFile(path, text)).count == 1)
  }

  @Test(
    "An allowed import is not",
    arguments: [
      ("Sources/Telemetry/Mathematics.swift", "internal import func Glibc.exp"),
      ("Sources/NodeLogic/Deep/A.swift", "public import Telemetry"),
      ("Sources/NodeLogic/A.swift", "// import Foundation\nlet a = \"\"\"\n  import Foundation\n  \"\"\""),
      ("Tests/NodeLogicTests/A.swift", "import Foundation"),
    ])
  func allowed(path: String, text: String) {
    #expect(Arrows.complaints(of: SwiftFile(path, text)).isEmpty)
  }

  @Test("judder-node never reaches the fleet's database")
  func withoutDatabase() throws {
    let declared = Arrows.declared(in: try #require(SourceTree.manifest))
    let reached = Arrows.closure(of: "NodeAgent", in: declared)
    #expect(reached.isDisjoint(with: ["Store", "CSQLite"]))
  }

  @Test("CMosquitto outside MQTT is found, and CSQLite outside Store")
  func librariesFound() {
    #expect(Arrows.libraryComplaints(of: SwiftFile("Tests/RigTests/A.swift", "import CMosquitto")).count == 1)
    #expect(Arrows.libraryComplaints(of: SwiftFile("Sources/MQTT/A.swift", "import CMosquitto")).isEmpty)
    #expect(Arrows.libraryComplaints(of: SwiftFile("Sources/MQTT/A.swift", "import CSQLite")).count == 1)
    #expect(Arrows.libraryComplaints(of: SwiftFile("Tests/StoreTests/A.swift", "import CSQLite")).isEmpty)
  }
}
