internal import Daemon
internal import NodeLogic

/// Reads a recording from the first sample to the last, as fast as it can be taken.
///
/// - Parameter times: what t may be [s]; nil: any number.
/// - Returns: one line on a last line that was cut off and left out; nil: none was.
/// - Throws: `unavailable` when the file cannot be read; `configuration` when it is no recording, with the line:
///   the text that the program was told to work with is wrong, as a line of a configuration would be.
func readRecording(
  _ file: String, times: ClosedRange<Double>? = nil, _ take: (Sample) throws(Termination) -> Void
) throws(Termination) -> String? {
  var reader = RecordingReader(times: times)
  do {
    try readFile(file) { chunk in
      for sample in try reader.feed(chunk) { try take(sample) }
    }
    if let sample = try reader.finish() { try take(sample) }
    return reader.tornText.map { "\(file): \($0)" }
  } catch let error as RecordingError {
    throw Termination(.configuration, ["\(file): \(error)"])
  } catch let error as Termination {
    throw error
  } catch {
    throw Termination(.unavailable, ["\(file): \(error)"])
  }
}
