internal import Daemon
internal import FleetLogic
internal import Telemetry
internal import Waveforms

/// What fleet.toml says about waveforms.
struct WaveformKeeping: Equatable {
  var directory: String
  var formats: [WaveformFormat]
  /// SEED's code of the network.
  var network: String
}

/// Puts the waveforms of the fleet's shakes together, and writes each into a folder.
///
/// What cannot be written is counted, and said once for each reason; everything else goes on. A file is a few dozen
/// kilobytes and is not synchronised, so that the loop may write it itself.
struct WaveformKeeper {
  private let settings: WaveformKeeping
  private let folder: OutputFolder
  private var assembly: WaveformAssembly
  /// Waveforms written.
  private(set) var written = 0
  /// Waveforms that could not be written.
  private(set) var failed = 0
  private var problem: String?

  init(_ settings: WaveformKeeping, _ bounds: WaveformAssembly.Bounds = WaveformAssembly.Bounds()) {
    self.settings = settings
    folder = OutputFolder(settings.directory)
    assembly = WaveformAssembly(bounds)
  }

  /// One line on a folder that cannot be written to; nil when it can. It is tried anew with each waveform.
  static func trouble(_ settings: WaveformKeeping) -> String? {
    OutputFolder(settings.directory).problem().map { "waveform.directory: \($0)" }
  }

  /// When `tick` has something to do at the earliest.
  var nextDeadline: Instant? { assembly.nextDeadline }

  /// Takes a message of a node, and answers what to log.
  mutating func take(_ telegram: Telegram, of node: NodeName, at now: Instant) -> [LogEntry] {
    guard case .waveform(let chunk) = telegram.body else { return [] }
    return write(assembly.add(chunk, of: node, telegram.envelope, at: now))
  }

  /// Writes what has been waited for long enough, as far as it is.
  mutating func tick(at now: Instant) -> [LogEntry] { write(assembly.collect(at: now)) }

  /// Writes everything that is left, as far as it is.
  mutating func finish() -> [LogEntry] { write(assembly.finish()) }

  private mutating func write(_ waveforms: [Waveform]) -> [LogEntry] { waveforms.flatMap { write($0) } }

  private mutating func write(_ waveform: Waveform) -> [LogEntry] {
    var entries: [LogEntry] = []
    var files: [(suffix: String, bytes: [UInt8])] = []
    for format in settings.formats {
      do throws(WaveformProblem) {
        files.append((format.suffix, try format.encode(waveform, network: settings.network)))
      } catch {
        entries.append(LogEntry(.warning, "\(waveform.title) is not written as \(format.rawValue): \(error)"))
      }
    }
    do throws(FileError) {
      let paths = try folder.write(waveform.fileStem, files, .number)
      written += 1
      entries += recovered()
      if let path = paths.first { entries.append(LogEntry(.information, "\(waveform.title) is in \(path)")) }
    } catch {
      failed += 1
      entries += broken(error.text)
    }
    return entries
  }

  private mutating func broken(_ text: String) -> [LogEntry] {
    defer { problem = text }
    return problem == text ? [] : [LogEntry(.warning, "waveforms are not written: \(text)")]
  }

  private mutating func recovered() -> [LogEntry] {
    guard problem != nil else { return [] }
    problem = nil
    return [LogEntry(.information, "waveforms are written again; \(failed) in all were not")]
  }
}

extension Waveform {
  /// For the log.
  fileprivate var title: String {
    let lack =
      if missingChunks > 0 { " (\(missingChunks) chunks missing)" } else { hasEnd ? "" : " (its end is missing)" }
    return "\(node): the waveform of shake \(shake)\(lack)"
  }
}
