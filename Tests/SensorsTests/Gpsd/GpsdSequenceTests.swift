import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

/// One fault after another, chosen by a seed. JUDDER_FAULTS sets how many there are in all, JUDDER_FAULTS_SEED the seed
/// that a failure names.
@Suite("A sequence of faults of a real gpsd", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdSequenceTests {
  /// Lanes run at the same time, each with a gpsd, a node and a seed of its own.
  private static let lanes = 20
  private static let steps = number("JUDDER_FAULTS") ?? 200
  private static let seed = number("JUDDER_FAULTS_SEED") ?? 20_261
  /// Alone in its process, so that what the process has open can be told from what others have.
  private static let isAlone = number("JUDDER_FAULTS") != nil

  @Test func everyFaultIsToldAsItIs() async throws {
    // What is opened once for all children is not to be taken for a leak.
    if Self.isAlone { _ = try await onThread { try FaultDrill(.link).suffer(.kill) } }
    let before = openDescriptors()
    let reports = try await withThrowingTaskGroup(of: FaultLane.Report.self) { group in
      for number in 0..<Self.lanes {
        let steps = (Self.steps + number) / Self.lanes
        let lane = FaultLane(number: number, steps: steps, seed: UInt64(Self.seed))
        group.addTask { try await onThread { lane.run() } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    for report in reports {
      #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
      // Its gpsd is gone, and so is what was connected to it.
      #expect(report.socketsLeft == 0, "lane \(report.number) left sockets open")
    }
    #expect(reports.map(\.suffered.count).reduce(0, +) == Self.steps)
    if Self.steps >= 200 {
      let suffered = Set(reports.flatMap(\.suffered))
      #expect(suffered == Set(GpsdFault.allCases), "seed \(Self.seed) leaves some out")
    }
    if Self.isAlone {
      #expect(openDescriptors().count <= before.count + 3, "\(openDescriptors())")
      let grown = reports.map(\.grownBytes).max() ?? 0
      let processor = reports.map(\.processorS).reduce(0, +)
      print(
        "\(Self.steps) faults: \(processor) s of processor time in all nodes, memory +\(grown / 1024) KiB;",
        "gpsd had to be told \(reports.map(\.helped).reduce(0, +)) times of a receiver that came back")
      #expect(grown < 8 << 20)
    }
  }

  /// A receiver that gpsd takes for open and that says nothing is opened anew: the watch is let go of for over a
  /// minute.
  @Test(.enabled(if: isAlone, "takes 90 s: make faults"))
  func aSilentReceiverIsOpenedAnew() async throws {
    let problem = try await onThread { () -> String? in
      let rig = try GpsdRig(.pty, in: Workplace())
      var session = GpsdSession.Settings.quick
      // gpsd opens it while the answer is awaited.
      session.answerS = 4
      let node = GpsdNode(port: rig.port, session: session, .drill)
      guard node.run(seconds: 15, until: \.isUp), rig.waitUntilOpen() else { return "gpsd does not open" }
      // gpsd does not let go of one that it has not made out yet.
      for step in 0..<10 {
        try rig.send(NMEARoute().sentences(at: Double(step)))
        node.run(seconds: 0.2)
      }
      let opened = { rig.log().components(separatedBy: ": activated GPS (fd").count - 1 }
      guard node.run(seconds: 110, until: { _ in opened() >= 2 }) else { return "opened \(opened()) times" }
      // gpsd was there all the time.
      return node.downs.isEmpty && node.losses == [.stalled] ? nil : "\(node.story)"
    }
    #expect(problem == nil)
  }

  private static func number(_ key: String) -> Int? { ProcessInfo.processInfo.environment[key].flatMap(Int.init) }

  private func openDescriptors() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.map { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? $0 }
      .sorted()
  }
}

/// A share of the sequence.
struct FaultLane: Sendable {
  /// What came of it.
  struct Report: Sendable {
    var number: Int
    var suffered: [GpsdFault] = []
    var problems: [String] = []
    var helped = 0
    /// Connections to its gpsd that are still open.
    var socketsLeft = 0
    /// Of the thread that runs the node, the rig's part included [s].
    var processorS = 0.0
    /// By how much the process grew between the first quarter and the end.
    var grownBytes = 0
  }

  var number: Int
  var steps: Int
  var seed: UInt64

  func run() -> Report {
    var report = Report(number: number)
    let source = [GpsdRig.Source.link, .pty, .tcp][number % 3]
    let possible = GpsdFault.allCases.filter { $0.isPossible(source) }
    var random = SeededRandom(seed: seed &* 1000 &+ UInt64(number))
    var port = 0
    do {
      let drill = try FaultDrill(source)
      port = drill.rig.port
      var early = 0
      for step in 0..<steps {
        let fault = possible[Int.random(in: 0..<possible.count, using: &random)]
        let isLong = Bool.random(using: &random)
        report.suffered.append(fault)
        report.problems += try drill.suffer(fault, isLong: isLong, seed: random.next()).map {
          "seed \(seed), lane \(number), step \(step): \($0)"
        }
        if step == steps / 4 { early = residentBytes() }
      }
      report.grownBytes = residentBytes() - early
      report.helped = drill.helped
    } catch {
      report.problems.append("seed \(seed), lane \(number), step \(report.suffered.count): \(error)")
    }
    report.socketsLeft = sockets(connectedTo: port)
    report.processorS = threadSeconds()
    return report
  }

  /// VmRSS by the second number of /proc/self/statm, in pages.
  private func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}

/// Processor time of the calling thread [s].
func threadSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
