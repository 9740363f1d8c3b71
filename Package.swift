// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built with the same strictness; a warning is an error.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A target whose imports are exactly its dependencies. See docs/ARCHITECTURE.md for the arrows.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A program that is not installed, in a folder of its own.
func benchmark(_ name: String, _ dependencies: [Target.Dependency], path: String) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// What reads bytes from outside.
let fuzzed = ["Telemetry", "NodeLogic", "FleetLogic", "Daemon", "DiskFaults", "Spool", "NodeAgent", "FleetWatch"]

let package = Package(
  name: "judder",
  products: [
    .executable(name: "judder-node", targets: ["NodeAgent"]),
    .executable(name: "judder-fleet", targets: ["FleetWatch"]),
    .executable(name: "judder-demo", targets: ["Demo"]),
  ],
  targets: [
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CTOML"),
    .target(name: "CTLS", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),

    library("Telemetry"),
    library("Threading", ["CLinux"]),
    library("NodeLogic", ["Telemetry"]),
    library("FleetLogic", ["Telemetry"]),
    library("Waveforms", ["Telemetry"]),
    library("Daemon", ["CLinux", "CTOML", "Telemetry", "Threading"]),
    library("MQTT", ["CMosquitto", "CLinux", "CTLS", "Threading"]),
    library("Spool", ["CLinux", "Threading"]),
    library("SpoolWords", ["NodeLogic", "Spool", "Telemetry"]),
    library("DiskFaults", ["Spool"]),
    library("BrokerLink", ["Daemon", "MQTT", "Telemetry"]),
    library("Sensors", ["CLinux", "Telemetry", "Threading", "NodeLogic", "Daemon"]),
    library("Sinks", ["CCurl", "CLinux", "Threading", "FleetLogic", "Telemetry", "Daemon"]),
    library("WebServer", ["CMicrohttpd", "Threading"]),
    library("Store", ["CSQLite", "Telemetry", "Threading"]),
    library("Rig"),

    program(
      "NodeAgent",
      [
        "Telemetry", "Threading", "NodeLogic", "Daemon", "MQTT", "BrokerLink", "Sensors", "Spool", "SpoolWords",
        "Waveforms",
      ]),
    program(
      "FleetWatch",
      [
        "Telemetry", "Threading", "FleetLogic", "Daemon", "MQTT", "BrokerLink", "Sinks", "Store", "Waveforms",
        "WebServer",
      ]),
    program("Demo", ["Rig", "Telemetry"]),
    program("SpoolDrill", ["Spool", "Threading"]),

    benchmark("MotionBenchmark", ["NodeLogic", "Telemetry"], path: "Benchmarks/Motion"),
    benchmark("StoreBenchmark", ["Daemon", "Store", "Telemetry"], path: "Benchmarks/Store"),
    benchmark("LatencyBenchmark", ["Rig", "Telemetry"], path: "Benchmarks/Latency"),
    benchmark("FleetBenchmark", ["Daemon", "FleetLogic", "Telemetry"], path: "Benchmarks/Fleet"),

    benchmark(
      "Simulate", ["DiskFaults", "FleetLogic", "NodeLogic", "Rig", "Spool", "SpoolWords", "Telemetry"],
      path: "Simulation"),

    tests("TelemetryTests", ["Telemetry", "Rig"]),
    tests("NodeLogicTests", ["NodeLogic", "Telemetry", "Rig"]),
    tests("FleetLogicTests", ["FleetLogic", "Telemetry", "Rig"]),
    tests("TogetherTests", ["FleetLogic", "NodeLogic", "Telemetry", "Rig"]),
    tests("WaveformsTests", ["Waveforms", "NodeLogic", "Telemetry", "Rig"]),
    tests("DaemonTests", ["Daemon", "Threading", "Telemetry", "Rig"]),
    tests("MQTTTests", ["MQTT", "Threading", "Rig"]),
    tests("SpoolTests", ["Spool", "DiskFaults", "SpoolDrill", "Threading", "Rig"]),
    tests("SensorsTests", ["Sensors", "NodeLogic", "Telemetry", "Daemon", "Rig"]),
    tests("SinksTests", ["Sinks", "FleetLogic", "Telemetry", "Daemon", "Rig"]),
    tests("WebServerTests", ["WebServer", "Rig"]),
    tests("StoreTests", ["Store", "StoreBenchmark", "Telemetry", "CSQLite", "Rig"]),
    tests(
      "NodeAgentTests",
      ["NodeAgent", "NodeLogic", "Telemetry", "Daemon", "MQTT", "BrokerLink", "Sensors", "Spool", "SpoolWords"]),
    tests(
      "FleetWatchTests",
      [
        "FleetWatch", "FleetLogic", "MQTT", "BrokerLink", "Sinks", "Store", "Telemetry", "Daemon", "Rig", "Waveforms",
        "WebServer",
      ]),
    tests("SimulationTests", ["Simulate", "DiskFaults", "NodeLogic", "Spool", "SpoolWords", "Telemetry"]),
    tests("EndToEndTests", ["MQTT", "Rig", "Telemetry", "FleetLogic", "NodeLogic", "Spool", "Store"]),
    tests("TidyTests", ["Rig"]),
    .testTarget(
      name: "FuzzTests", dependencies: fuzzed.map { .byName(name: $0) },
      exclude: ["Driver", "Seeds", "dictionaries", "run"], swiftSettings: strict),
  ]
)

/// Leaves nothing but these targets and what they depend on.
@MainActor func keepOnly(_ roots: [String]) {
  var kept: Set<String> = []
  var open = roots
  while let name = open.popLast() {
    guard kept.insert(name).inserted else { continue }
    let dependencies = package.targets.first { $0.name == name }?.dependencies ?? []
    open += dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
}

// `make sanitize` builds only what it runs.
if let roots = Context.environment["JUDDER_ONLY"] { keepOnly(roots.split(separator: " ").map(String.init)) }

// `make fuzz` builds another package of the same files: the parts that read what comes from outside, and one program
// that feeds them. Programs become libraries, since a program has room for one `main`.
if Context.environment["JUDDER_FUZZ"] != nil {
  keepOnly(fuzzed)
  let testable = strict + [.unsafeFlags(["-enable-testing", "-parse-as-library"])]
  package.targets = package.targets.map { target in
    guard target.type == .executable else {
      if target.name == "Spool" { target.swiftSettings = testable }
      return target
    }
    return .target(
      name: target.name, dependencies: target.dependencies, exclude: ["Program.swift"], swiftSettings: testable)
  }
  let tests = ["SeedTests.swift", "SeedSource.swift", "HostileInputs.swift"]
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: fuzzed.map { .byName(name: $0) }, path: "Tests/FuzzTests",
      exclude: tests + ["Seeds", "dictionaries", "run"], swiftSettings: testable))
}
