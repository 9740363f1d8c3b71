import NodeLogic
import Telemetry

/// A recording gives the same samples however it is cut, all of them finite, or says in one line what is wrong.
func checkRecording(_ bytes: [UInt8]) throws(Violation) {
  let whole = read([bytes[...]])
  let middle = bytes.count / 3
  let cut = read([bytes[..<middle], bytes[middle...]])
  switch (whole, cut) {
  case (.success(let samples), .success(let others)):
    try require(samples == others, "other samples when cut another way")
    for sample in samples {
      let isFinite = [sample.at.seconds, sample.g.x, sample.g.y, sample.g.z].allSatisfy(\.isFinite)
      try require(isFinite, "a sample that is not finite")
    }
    try require(samples.count <= bytes.count, "\(samples.count) samples of \(bytes.count) bytes")
  case (.failure(let error), .failure(let other)):
    try require(error == other, "another complaint when cut another way: \(error), \(other)")
    try requirePrintable(error.description)
  default: throw Violation(text: "taken or refused, by how it is cut")
  }
}

private func read(_ chunks: [ArraySlice<UInt8>]) -> Result<[Sample], RecordingError> {
  Result { () throws(RecordingError) in
    var reader = RecordingReader(times: -1e9...1e9)
    var samples: [Sample] = []
    for chunk in chunks { samples += try reader.feed(chunk) }
    if let last = try reader.finish() { samples.append(last) }
    return samples
  }
}
