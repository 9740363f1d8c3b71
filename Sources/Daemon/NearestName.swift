/// The name that somebody who wrote `name` probably meant: the candidate with the fewest edits, or nil when none
/// is close enough to be worth suggesting.
///
/// An edit inserts, removes or replaces a character or swaps two neighbours. At most a third of the longer name may
/// differ; a candidate that starts or ends with `name` (three characters or more) also counts, so that `rate` finds
/// `rate_hz`. Case, `-` and `_` make no difference.
public func nearestName(to name: String, among candidates: some Sequence<String>) -> String? {
  let wanted = folded(name)
  guard !wanted.isEmpty, wanted.count <= 100 else { return nil }
  var best: (distance: Int, name: String)?
  for candidate in candidates {
    let other = folded(candidate)
    let distance = editDistance(wanted, other)
    guard distance <= max(wanted.count, other.count) / 3 || isPart(wanted, of: other) else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
  }
  return best?.name
}

/// ` did you mean 'rate_hz'?`, or nothing: the end of a complaint about an unknown name.
func suggestion(for name: String, among candidates: some Sequence<String>) -> String {
  nearestName(to: name, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
}

private func folded(_ name: String) -> [UInt8] {
  name.utf8.map { byte in
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
    case UInt8(ascii: "-"): UInt8(ascii: "_")
    default: byte
    }
  }
}

private func isPart(_ part: [UInt8], of whole: [UInt8]) -> Bool {
  part.count >= 3 && (whole.starts(with: part) || whole.reversed().starts(with: part.reversed()))
}

/// The optimal string alignment distance.
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var distance = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { distance = min(distance, beforeLast[j - 1] + 1) }
      row.append(distance)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
