// How long an alert takes from the publication of a shake to each sink of judder-fleet, beside mosquitto_sub, which
// hears of the same shake in the same run:
//   LatencyBenchmark FLEET [--shakes COUNT] [--rate HZ] [--no-store]
//
// FLEET is the program judder-fleet; COUNT (600) shakes in each part of the run, first with nothing else, then among HZ
// (1000) other messages a second; --no-store: without its database. Exit status: 0; 1 something was lost or came twice;
// 64 wrong usage; 69 a part is missing or did not start.
//
// One clock, CLOCK_MONOTONIC of this process, takes all stamps: right before a shake is sent, and when its line, or its
// request, has been read here, from judder-fleet's standard output (json), from mosquitto_sub on the alerts' topics
// (mqtt), from a fifo into which dd writes its standard input (command), by an HTTP server (webhook), and from
// mosquitto_sub on the nodes' topics. Messages are sent by a schedule that waits for nobody; "due" counts from the
// instant of the schedule, so that what a stalled sender holds up shows. Shakes come 20 times a second, with a jitter.
//
// Warm-up: every node connects, then 60 shakes that do not count. Not measured: the detector before the node publishes,
// a network, TLS, receivers that are slow, and more than one connection for all of the nodes.

internal import Foundation
internal import Rig

struct Plan {
  var fleet = ""
  var shakes = 600
  /// Other messages while it is loaded [Hz].
  var loadHz = 1000.0
  var isKept = true
  let shakesHz = 20.0
  let warming = 60

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--shakes":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else { return nil }
        shakes = count
      case "--rate":
        guard let rate = rest.popFirst().flatMap({ Double($0) }), rate > 0 else { return nil }
        loadHz = rate
      case "--no-store": isKept = false
      default: fleet = word
      }
    }
    if fleet.isEmpty { return nil }
  }
}

/// How long a write of 4 kB and its fdatasync take where the store lies [s], sorted: what an alert waits for.
func syncTimes(_ file: String) -> [Double] {
  let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
  defer { close(descriptor) }
  let block = [UInt8](repeating: 0x55, count: 4096)
  return (0..<100).map { _ in
    let startS = monotonicS()
    _ = block.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    fdatasync(descriptor)
    return monotonicS() - startS
  }.sorted()
}

/// A line that is out when this returns.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

func loadAverage() -> String {
  let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
  return text.split(separator: " ").prefix(3).joined(separator: " ")
}

struct Run {
  let plan: Plan
  let stage: Stage
  var drive: Drive
  var faults: [String] = []

  /// Shakes with or without the load; answers when all have arrived everywhere, or 15 s later.
  mutating func part(_ title: String, loadHz: Double) throws {
    let before = Usage(of: stage.fleet.identifier)
    let startS = monotonicS()
    let shakes = try drive.run(shakes: plan.shakes, shakesHz: plan.shakesHz, loadHz: loadHz)
    let tookS = monotonicS() - startS
    let after = Usage(of: stage.fleet.identifier)
    let ears = stage.ears.all
    _ = waitUntil(seconds: 15) { ears.allSatisfy { ear in Figures(ear, shakes).lost == 0 } }
    let yardstick = Figures(stage.ears.yardstick, shakes)
    say("\(title), \(decimals(plan.shakesHz, 1)) shakes/s; load of the machine \(loadAverage())")
    say(Figures.head)
    for ear in ears {
      let figures = Figures(ear, shakes)
      say(figures.line(yardstick))
      if figures.lost > 0 { faults.append("\(title): \(figures.lost) shakes did not reach \(ear.name)") }
    }
    say(
      "  judder-fleet: \(decimals((after.processorS - before.processorS) / tookS * 100, 1)) % of a core, "
        + "\(decimals(after.residentMB, 1)) MB (at most \(decimals(after.mostMB, 1))), "
        + "\(decimals((after.writtenMB - before.writtenMB) / tookS, 2)) MB/s written")
  }

  /// Says what is missing: every message is to be at mosquitto_sub and in judder-fleet, every alert once everywhere.
  mutating func finish() throws {
    let left = drive.settle()
    if left > 0 { faults.append("the broker did not acknowledge \(left) messages") }
    let (sent, yardstick) = (drive.sent, stage.ears.yardstick)
    _ = waitUntil(seconds: 5) { yardstick.lines >= sent }
    if yardstick.lines != sent { faults.append("mosquitto_sub heard \(yardstick.lines) of \(sent) messages") }
    for ear in stage.ears.all where ear.repeats > 0 { faults.append("\(ear.repeats) came twice to \(ear.name)") }
    let log = try stage.stop()
    let taken = log.firstMatch(of: #/(\d+) taken/#).flatMap { Int($0.1) } ?? 0
    if taken != sent { faults.append("judder-fleet took \(taken) of \(sent) messages: \(log.suffix(600))") }
    say("\(sent) messages sent; lost: judder-fleet \(sent - taken), mosquitto_sub \(sent - yardstick.lines)")
  }
}

func run(_ plan: Plan) throws -> Int32 {
  let place = try Workplace("judder-latency")
  let syncs = syncTimes(place.path("sync"))
  say(
    "Milliseconds from right before a shake is sent, and from when it was due; x: times mosquitto_sub's.\n"
      + "A sync of the disk takes \(decimals(Figures.quantile(syncs, 0.5) * 1000, 2)) ms, p99 "
      + "\(decimals(Figures.quantile(syncs, 0.99) * 1000, 2)) ms.")
  let stage = try Stage(fleet: plan.fleet, isKept: plan.isKept, in: place)
  var run = Run(plan: plan, stage: stage, drive: Drive(port: stage.broker.port))
  try run.drive.greet(shaken: plan.warming + 2 * plan.shakes)
  // Warm-up: connections are made, pages are there; not counted.
  _ = try run.drive.run(shakes: plan.warming, shakesHz: plan.shakesHz, loadHz: plan.loadHz)
  try run.part("Nothing else", loadHz: 0)
  try run.part("\(Int(plan.loadHz)) messages/s", loadHz: plan.loadHz)
  try run.finish()
  for fault in run.faults { FileHandle.standardError.write(Data("\(fault)\n".utf8)) }
  return run.faults.isEmpty ? 0 : 1
}

guard let plan = Plan(Array(CommandLine.arguments.dropFirst())) else {
  say("usage: LatencyBenchmark FLEET [--shakes COUNT] [--rate HZ] [--no-store]")
  exit(64)
}
do {
  exit(try run(plan))
} catch {
  FileHandle.standardError.write(Data("LatencyBenchmark: \(error)\n".utf8))
  exit(69)
}
