internal import Telemetry

/// A fix in words: the same wherever somebody is shown one.
extension Fix {
  /// `3D fix at 47.3667123, 8.5411456 ± 4.2 m (eph), dgps, 408 m above the sea (± 7.0 m)`.
  public var sentence: String {
    var parts = ["\(dimensions)D fix at \(ViewText.place(coordinate))\(accuracyText)"]
    if let statusText { parts.append(statusText) }
    if let altitudeText { parts.append(altitudeText) }
    return parts.joined(separator: ", ")
  }

  private var accuracyText: String {
    accuracy.map { " ± \(ViewText.distance($0.metres)) (\($0.source.rawValue))" } ?? ", accuracy unknown"
  }

  /// What is out of the ordinary about how the receiver came by it; nil where nothing is.
  private var statusText: String? {
    switch status {
    case nil, .normal: nil
    case .deadReckoning: "dead reckoning without satellites"
    case .gnssDeadReckoning: "satellites and dead reckoning"
    case .surveyed: "surveyed: a fixed station's own coordinates"
    case .rtkFixed, .rtkFloat, .dgps, .pY: status?.rawValue
    }
  }

  private var altitudeText: String? {
    guard let altitude else { return nil }
    let above =
      switch altitude.source {
      case .msl: "above the sea"
      case .hae: "above the ellipsoid"
      case .alt: "high, gpsd does not say above what"
      }
    let accuracy = altitudeAccuracyM.map { " (± \(ViewText.distance($0)))" } ?? ""
    return "\(ViewText.distance(altitude.metres)) \(above)\(accuracy)"
  }
}
