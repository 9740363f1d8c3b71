/// The values that an `*_available` attribute offers: a list, or `[least step greatest]`
/// (Documentation/ABI/testing/sysfs-bus-iio).
enum AvailableValues: Equatable, Sendable {
  /// Each as the kernel wrote it, so that it can be written back letter for letter.
  case list([String])
  case range(least: Double, step: Double, greatest: Double)

  /// Nil when the text is neither.
  init?(_ text: String) {
    let isRange = text.hasPrefix("[") && text.hasSuffix("]")
    let words = (isRange ? text.dropFirst().dropLast() : text[...]).split { $0 == " " || $0 == "\t" || $0 == "\n" }
    let values = words.compactMap { Double($0) }
    guard !values.isEmpty, values.count == words.count, values.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
      return nil
    }
    if isRange {
      guard values.count == 3, values[0] <= values[2] else { return nil }
      self = .range(least: values[0], step: values[1], greatest: values[2])
    } else {
      self = .list(words.map(String.init))
    }
  }

  /// The lowest value that is not below `wanted`, else the highest of all, as text to write.
  func choice(atLeast wanted: Double) -> String {
    switch self {
    case .list(let words):
      let rated = words.map { (word: $0, value: Double($0) ?? 0) }
      let enough = rated.filter { $0.value >= wanted - 1e-6 }.min { $0.value < $1.value }
      return (enough ?? rated.max { $0.value < $1.value })?.word ?? ""
    case .range(let least, let step, let greatest):
      guard wanted > least else { return decimal(least) }
      guard step > 0 else { return decimal(min(wanted, greatest)) }
      let steps = ((wanted - least) / step - 1e-9).rounded(.up)
      return decimal(min(least + steps * step, greatest))
    }
  }
}

/// A number as drivers read one: decimal, no exponent, at most six places.
func decimal(_ value: Double) -> String {
  guard value.isFinite, abs(value) < 1e12 else { return "0" }
  let micro = Int64((value * 1e6).rounded())
  let whole = String(micro.magnitude / 1_000_000)
  var places = String(micro.magnitude % 1_000_000)
  places = String(repeating: "0", count: 6 - places.count) + places
  while places.last == "0" { places.removeLast() }
  return (micro < 0 ? "-" : "") + whole + (places.isEmpty ? "" : "." + places)
}
