internal import Daemon
internal import NodeLogic
internal import Telemetry
internal import Waveforms

/// Where `judder-node replay` writes the waveforms of the shakes that it finds: CSV and miniSEED, side by side.
struct WaveformFiles {
  private let folder: OutputFolder
  private let network: String
  private var assembly = WaveformAssembly()

  /// - Throws: why nothing can be written there.
  init(folder path: String, network: String) throws(Termination) {
    folder = OutputFolder(path)
    self.network = network
    if let problem = folder.problem() {
      let remedy = problem.folderRemedy.map { "; \($0)" } ?? ""
      throw Termination(problem.exitCode, ["\(problem.text)\(remedy)"])
    }
  }

  /// Takes a chunk, and writes the waveform that it completes.
  mutating func take(
    _ chunk: WaveformMessage, of node: NodeName, _ envelope: Envelope
  ) throws(Termination) {
    // All of a recording is there at once: nothing is waited for.
    for waveform in assembly.add(chunk, of: node, envelope, at: .start) { try write(waveform) }
  }

  /// Writes what is left: a shake that the end of the recording cut.
  mutating func finish() throws(Termination) {
    for waveform in assembly.finish() { try write(waveform) }
  }

  private func write(_ waveform: Waveform) throws(Termination) {
    var files: [(suffix: String, bytes: [UInt8])] = []
    for format in WaveformFormat.allCases {
      do throws(WaveformProblem) {
        files.append((format.suffix, try format.encode(waveform, network: network)))
      } catch {
        throw Termination(.configuration, ["\(waveform.fileStem)\(format.suffix): \(error)"])
      }
    }
    do throws(FileError) {
      _ = try folder.write(waveform.fileStem, files, .refuse)
    } catch {
      throw Termination(error.exitCode, [error.text])
    }
  }
}
