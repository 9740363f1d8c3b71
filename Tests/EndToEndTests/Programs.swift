import Foundation
import Rig

/// The programs of this package, as they were built together with the tests.
enum Programs {
  static let node = path("judder-node")
  static let fleet = path("judder-fleet")

  /// Beside the test bundle; where that is somewhere else, in the package's own build folder.
  private static func path(_ name: String) -> String {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let folders = [URL(filePath: bundle).deletingLastPathComponent(), packageRoot.appending(path: ".build/debug")]
    let candidates = folders.map { $0.appending(path: name).path(percentEncoded: false) }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }
}

/// The folder of Package.swift.
let packageRoot = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// What a program that ran to its end left behind.
struct Outcome {
  /// Its exit status; -n when signal n killed it.
  let status: Int32
  let output: String
  let errors: String

  var outputLines: [String] { output.split(separator: "\n").map(String.init) }
  var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
}

/// Runs a program to its end.
///
/// - Throws: `RigError` when it takes longer than `seconds`.
func outcome(
  of program: String, _ arguments: [String], in workplace: Workplace, environment: [String: String] = [:],
  seconds: Double = 30
) throws -> Outcome {
  let name = "command-\(UUID().uuidString.prefix(8))"
  let child = try ChildProcess(program, arguments, name: name, in: workplace.folder, environment: environment)
  guard let status = child.wait(seconds: seconds) else {
    child.stop(signal: SIGKILL)
    throw RigError("\(program) \(arguments.joined(separator: " ")) still runs after \(seconds) s: \(child.errorText())")
  }
  return Outcome(status: status, output: child.outputText(), errors: child.errorText())
}
