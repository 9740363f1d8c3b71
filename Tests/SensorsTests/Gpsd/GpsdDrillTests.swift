import Rig
import Testing

/// Every fault of the field alone, on every way in which a receiver is connected.
@Suite("Each fault of a real gpsd", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdDrillTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var fault: GpsdFault
    var source: GpsdRig.Source
    var isLong: Bool

    var testDescription: String { "\(fault.rawValue) on \(source)\(isLong ? "" : ", short")" }

    static let all: [Case] = [GpsdRig.Source.tcp, .pty, .link].flatMap { source in
      GpsdFault.allCases.filter { $0.isPossible(source) }.flatMap { fault in
        [true, false].filter { $0 || fault.losesFix(isLong: true) != fault.losesFix(isLong: false) }.map {
          Case(fault: fault, source: source, isLong: $0)
        }
      }
    }
  }

  @Test(arguments: Case.all) func isToldAsItIs(_ its: Case) async throws {
    let problems = try await onThread { try FaultDrill(its.source).suffer(its.fault, isLong: its.isLong) }
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }
}
