internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Store
internal import Telemetry
internal import Waveforms

/// `judder-fleet export`.
enum ExportCommand {
  static let formats = ExportFormat.allCases.map(\.rawValue) + ["mseed"]

  static func run(_ history: History) throws(Termination) {
    let word = history.invocation.text("format") ?? "csv"
    if word != ExportFormat.csv.rawValue, history.invocation.isGiven("stream") {
      throw Termination(.usage, ["--stream goes with csv: \(word) has its own"])
    }
    let target = try ExportTarget(history.invocation.text("output") ?? "-", history.output)
    do throws(Termination) {
      if let format = ExportFormat(rawValue: word) {
        try write(format, history, to: target)
      } else {
        try writeWaveforms(history, to: target)
      }
      try target.finish()
    } catch {
      target.abandon()
      throw error
    }
  }

  private static func write(_ format: ExportFormat, _ history: History, to target: ExportTarget) throws(Termination) {
    var export = format.make()
    var query = try history.query(.oldestFirst)
    query.streams = query.streams ?? format.streams
    try target.write(export.begin())
    guard type(of: export).isByNode else {
      try history.each(query) { (event) throws(Termination) in try target.write(export.add(event)) }
      return try target.write(export.end())
    }
    for node in try nodes(query, history) {
      query.nodes = [node]
      try history.each(query) { (event) throws(Termination) in try target.write(export.add(event)) }
    }
    try target.write(export.end())
  }

  private static func nodes(_ query: HistoryReader.Query, _ history: History) throws(Termination) -> [NodeName] {
    if let nodes = query.nodes { return nodes }
    return try history.nodes("*")
  }

  // MARK: Waveforms

  /// Puts the chunks of each node together, on the best clock that their run is known to have had.
  private static func writeWaveforms(_ history: History, to target: ExportTarget) throws(Termination) {
    guard !target.isTerminal else {
      throw Termination(.usage, ["miniSEED is nothing for a terminal; name a file with --output"])
    }
    var query = try history.query(.oldestFirst)
    query.streams = [.waveform]
    let network = history.configuration.text("waveform.network")
    var untimed = 0
    for node in try nodes(query, history) {
      var assembly = WaveformAssembly()
      query.nodes = [node]
      try history.each(query) { (event) throws(Termination) in
        guard let telegram = event.telegram, case .waveform(var chunk) = telegram.body else { return }
        guard let measured = event.measured else {
          untimed += 1
          return
        }
        if let time = telegram.envelope.time { chunk.start = chunk.start + (measured - time) }
        try write(assembly.add(chunk, of: node, telegram.envelope, at: .start), network, to: target)
      }
      try write(assembly.finish(), network, to: target)
    }
    guard untimed > 0 else { return }
    try target.note("\(untimed) chunks are left out: nothing vouches for their time")
  }

  private static func write(_ waveforms: [Waveform], _ network: String, to target: ExportTarget) throws(Termination) {
    for waveform in waveforms {
      do throws(WaveformProblem) {
        let bytes = try WaveformFormat.mseed.encode(waveform, network: network)
        target.hold(bytes)
      } catch {
        try target.note("\(waveform.fileStem) is left out: \(error)")
      }
      try target.flush()
    }
  }
}

/// Where an export goes: standard output, or a file that is there with all of its bytes or not at all.
final class ExportTarget {
  private let path: String?
  private let hidden: String
  private let descriptor: Int32
  /// It is a pipe or a device, and stays what it is.
  private let isDirect: Bool
  private let output: StandardOutput

  init(_ path: String, _ standard: StandardOutput) throws(Termination) {
    guard path != "-" else {
      (self.path, hidden, descriptor, isDirect, output) = (nil, "", -1, false, standard)
      return
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    isDirect = isThere && status.st_mode & S_IFMT != S_IFREG
    let path = isThere ? ExportTarget.real(path) : path
    let hidden = isDirect ? path : "\(path).\(getpid()).part"
    let flags = isDirect ? O_WRONLY : O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    let descriptor = open(hidden, flags | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else {
      let code: ExitCode = [EACCES, EPERM, EROFS].contains(errno) ? .permission : .unavailable
      throw Termination(code, ["\(path) cannot be written: \(systemErrorText(errno))"])
    }
    (self.path, self.hidden, self.descriptor) = (path, hidden, descriptor)
    output = StandardOutput(descriptor: descriptor, name: path)
  }

  /// Where a link leads: realpath(3).
  private static func real(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }

  var isTerminal: Bool { path == nil && output.isTerminal }

  func write(_ text: String) throws(Termination) { try output.write(text) }
  func hold(_ bytes: [UInt8]) { output.hold(bytes) }
  func flush() throws(Termination) { try output.flush() }

  /// A line for whoever looks on.
  func note(_ text: String) throws(Termination) {
    let errors = StandardOutput(descriptor: 2, name: "standard error")
    try errors.line(text)
    try errors.flush()
  }

  /// Puts the file in its place: fsync(2), rename(2).
  func finish() throws(Termination) {
    try output.flush()
    guard let path else { return }
    if isDirect {
      _ = close(descriptor)
      return
    }
    guard fsync(descriptor) == 0, rename(hidden, path) == 0 else {
      throw Termination(.temporary, ["\(path) cannot be written: \(systemErrorText(errno))"])
    }
    close(descriptor)
  }

  /// Leaves what was there before.
  func abandon() {
    guard path != nil else { return }
    close(descriptor)
    if !isDirect { unlink(hidden) }
  }
}
