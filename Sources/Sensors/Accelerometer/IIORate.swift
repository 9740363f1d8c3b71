internal import Telemetry

/// Sets a sensor's output rate and finds out what became of it.
struct IIORate: Sendable {
  let attributes: IIOAttributes

  /// Rates that a sensor may claim [Hz]; anything else is an error of its driver.
  static let plausible = 0.001...1_000_000

  /// What is in force after the attempt.
  struct Outcome: Equatable, Sendable {
    /// As read back [Hz]; nil when the driver does not tell.
    var rateHz: Double?
    /// Why it could not be set or read; nil when it could.
    var refusal: String?
  }

  /// Chooses the lowest available rate that is not below `wanted` (else the highest), writes it and reads it back.
  ///
  /// - Parameter wanted: [Hz].
  func set(atLeast wanted: Double) -> Outcome {
    var names: [String] = []
    for axis in Axis.allCases {
      let found = IIOAttributes.names(of: "sampling_frequency", axis: axis).first(where: attributes.folder.has)
      if let found, !names.contains(found) { names.append(found) }
    }
    guard let first = names.first else {
      return Outcome(rateHz: nil, refusal: "the driver has no sampling_frequency: its rate cannot be set or read")
    }
    let value = available(first)?.choice(atLeast: wanted) ?? decimal(wanted)
    for name in names {
      do {
        try attributes.folder.write(value, to: name)
      } catch {
        return Outcome(rateHz: current(first), refusal: refusal(error, present: current(first)))
      }
    }
    guard let rate = current(first) else {
      return Outcome(rateHz: nil, refusal: "\(attributes.folder.path(of: first)) is no rate after writing \(value)")
    }
    return Outcome(rateHz: rate, refusal: nil)
  }

  /// The values that the driver offers, if it says.
  private func available(_ name: String) -> AvailableValues? {
    let own = try? attributes.folder.readIfPresent("\(name)_available")
    let text = own.flatMap { $0 } ?? (try? attributes.lookUp("sampling_frequency_available", axis: .x))?.text
    return text.flatMap(AvailableValues.init)
  }

  private func current(_ name: String) -> Double? {
    guard let text = try? attributes.folder.read(name), let value = Double(text) else { return nil }
    return IIORate.plausible.contains(value) ? value : nil
  }

  private func refusal(_ failure: SystemFailure, present: Double?) -> String {
    let kept = present.map { "the present rate of \(decimal($0)) Hz stays" } ?? "the rate stays as it is"
    return failure.isPermission ? "\(failure); \(kept); \(permissionRemedy)" : "\(failure); \(kept)"
  }
}
