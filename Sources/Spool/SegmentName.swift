/// What a segment's file is called: everything that its head says too, so that a segment whose head is damaged can
/// still be read.
///
/// `NNNNNNNN-L-OOOOOOOO-BBBBBBBB.seg`: the segment's number, its lane, the ordinal of the run that wrote it, and that
/// run's boot id; in hexadecimal digits. Another format would have another suffix: what is not understood is left
/// alone.
struct SegmentName: Hashable {
  /// Rises with each segment of the folder, over lanes and runs.
  let number: UInt32
  let lane: SpoolLane
  let ordinal: UInt32
  let boot: UInt32

  static let suffix = ".seg"

  init(number: UInt32, lane: SpoolLane, ordinal: UInt32, boot: UInt32) {
    self.number = number
    self.lane = lane
    self.ordinal = ordinal
    self.boot = boot
  }

  /// Nil for a file of another kind.
  init?(_ text: String) {
    guard text.hasSuffix(SegmentName.suffix) else { return nil }
    let parts = text.dropLast(SegmentName.suffix.count).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, let lane = UInt8(parts[1], radix: 16).flatMap(SpoolLane.init),
      let number = UInt32(parts[0], radix: 16), let ordinal = UInt32(parts[2], radix: 16),
      let boot = UInt32(parts[3], radix: 16)
    else { return nil }
    self.init(number: number, lane: lane, ordinal: ordinal, boot: boot)
    // Signs, capitals and missing zeros would give two names to one segment. Numbers can't rise from the upper half.
    guard self.text == text, number < 1 << 31, ordinal < 1 << 31 else { return nil }
  }

  var text: String {
    "\(hexadecimal(number))-\(lane.rawValue)-\(hexadecimal(ordinal))-\(hexadecimal(boot))\(SegmentName.suffix)"
  }

  /// With what the checksums of its records begin: a record in any other segment is none.
  var seed: [UInt8] { Array(text.utf8) }
}

/// Eight digits.
func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}
