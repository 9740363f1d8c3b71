internal import BrokerLink
internal import Daemon
internal import Glibc
internal import NodeLogic

/// Whether what is kept of the location over a restart can be kept, asked before the first write is due.
enum LocationRecordCheck {
  /// What `check` says of it.
  ///
  /// - Parameter file: nil where nothing is kept.
  static func finding(_ file: String?) -> Finding {
    guard let file else {
      let text =
        "odometer and fences are not kept over a restart: location.record_file is not set, and STATE_DIRECTORY, where "
        + "systemd tells a service its folder, is not either"
      return Finding(.good, "record", text)
    }
    if let problem = replacementProblem(file) {
      return Finding(.problem, "record", sentence(file, problem), remedy: remedy(problem))
    }
    do throws(FileError) {
      let bytes = try readSmallFile(file, limit: LocationRecord.largestBytes)
      do throws(LocationRecord.Damage) {
        return Finding(.good, "record", "\(file): \(try LocationRecord.decode(bytes).summary)")
      } catch {
        return Finding(
          .warning, "record", "\(file) \(error): the odometer and the fences are begun anew, and it is written over",
          remedy: "put another place into location.record_file if this file is something else's")
      }
    } catch {
      guard error.code != ENOENT else { return Finding(.good, "record", "\(file): can be written, no record yet") }
      return Finding(
        .problem, "record", "\(file) \(error): the odometer and the fences are begun anew",
        remedy: "let this user read it")
    }
  }

  /// What is said at the start of a run; nil: it can be kept.
  static func warning(_ file: String) -> String? {
    replacementProblem(file).map { problem in
      "\(sentence(file, problem)); \(remedy(problem)): nothing is kept over a restart meanwhile"
    }
  }

  private static func sentence(_ file: String, _ problem: FileError) -> String {
    problem.text.hasPrefix(file) ? problem.text : "\(file): \(problem)"
  }

  private static func remedy(_ problem: FileError) -> String {
    switch problem.code {
    case EISDIR: "set location.record_file to a file, not a folder"
    default: problem.folderRemedy ?? "set location.record_file to a file in a folder that can be written to"
    }
  }
}
