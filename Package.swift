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
    .target(name: "CLinux"),
    .target(name: "CTOML"),

    library("Telemetry"),
    library("Threading", ["CLinux"]),
    library("NodeLogic", ["Telemetry"]),
    library("FleetLogic", ["Telemetry"]),
    library("Waveforms", ["Telemetry"]),
    library("Daemon", ["CLinux", "CTOML", "Telemetry", "Threading"]),
    library("MQTT", ["CMosquitto", "CLinux", "Threading"]),
    library("BrokerLink", ["Daemon", "MQTT", "Telemetry"]),
    library("Sensors", ["CLinux", "Telemetry", "Threading", "NodeLogic", "Daemon"]),
    library("Sinks", ["FleetLogic", "Telemetry", "Daemon"]),
    library("Store", ["CSQLite", "Telemetry", "Threading"]),
    library("Rig"),

    program(
      "NodeAgent", ["Telemetry", "Threading", "NodeLogic", "Daemon", "MQTT", "BrokerLink", "Sensors", "Waveforms"]),
    program(
      "FleetWatch",
      ["Telemetry", "Threading", "FleetLogic", "Daemon", "MQTT", "BrokerLink", "Sinks", "Store", "Waveforms"]),
    program("Demo", ["Rig", "Telemetry"]),

    benchmark("MotionBenchmark", ["NodeLogic", "Telemetry"], path: "Benchmarks/Motion"),
    benchmark("StoreBenchmark", ["Store", "Telemetry"], path: "Benchmarks/Store"),

    tests("TelemetryTests", ["Telemetry", "Rig"]),
    tests("NodeLogicTests", ["NodeLogic", "Telemetry", "Rig"]),
    tests("FleetLogicTests", ["FleetLogic", "Telemetry", "Rig"]),
    tests("WaveformsTests", ["Waveforms", "NodeLogic", "Telemetry", "Rig"]),
    tests("DaemonTests", ["Daemon", "Threading", "Telemetry", "Rig"]),
    tests("MQTTTests", ["MQTT", "Threading", "Rig"]),
    tests("SensorsTests", ["Sensors", "NodeLogic", "Telemetry", "Daemon", "Rig"]),
    tests("SinksTests", ["Sinks", "FleetLogic", "Telemetry"]),
    tests("StoreTests", ["Store", "StoreBenchmark", "Telemetry", "CSQLite", "Rig"]),
    tests("NodeAgentTests", ["NodeAgent", "NodeLogic", "Telemetry", "Daemon", "MQTT", "Sensors"]),
    tests(
      "FleetWatchTests",
      ["FleetWatch", "FleetLogic", "MQTT", "Sinks", "Store", "Telemetry", "Daemon", "Rig", "Waveforms"]),
    tests("EndToEndTests", ["MQTT", "Rig", "Store", "Telemetry"]),
    tests("TidyTests", ["Rig"]),
  ]
)
