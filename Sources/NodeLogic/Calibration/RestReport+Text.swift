internal import Telemetry

extension RestReport {
  /// Why these are not the figures of a sensor at rest, in one line; nil: they are.
  ///
  /// The unit comes first, because in another one the noise of a still sensor looks like motion.
  public var objection: String? {
    if let doubt = MeanLength.doubt(meanG.length) { return doubt }
    if isConstant {
      return "the readings never change: the sensor is dead, or its steps are coarser than its noise"
    }
    if let motion { return "\(motion); put it down where nothing moves it, and repeat" }
    return MeanLength.objection(meanG.length)
  }

  /// The figures for people, one line each.
  public var lines: [String] {
    let clippedText = clipped > 0 ? ", \(clipped) clipped" : ""
    var lines = [
      row(
        "samples",
        "\(samples) in \(Self.text(durationS, 1)) s, \(Self.text(rateHz, 2)) Hz, \(missed) missed\(clippedText)"),
      row("up", "\(face.rawValue), \(Self.text(tiltDeg, 1)) deg from level"),
      row("mean", "\(Self.axes(meanG, 4)) g"),
      row("offset", "\(Self.axes(offsetG * 1000, 1)) mg from that side, in which any tilt is too"),
      row(
        "|a|", "\(Self.text(meanG.length, 4)) g, \(Self.signed(1000 * magnitudeErrorG, 1)) mg, whichever way it lies"),
      row("noise", "\(Self.axes(noiseG * 1000, 3)) mg RMS"),
      row("density", "\(Self.axes(densityG * 1e6, 0)) ug/sqrt(Hz), if white over \(Self.text(bandwidthHz, 1)) Hz"),
      row("in band", "\(Self.text(1000 * inBandG, 3)) mg RMS from 0.7 to 12 Hz, all axes"),
    ]
    for point in allan {
      lines.append(row("allan", "\(Self.axes(point.deviationG * 1e6, 0)) ug over \(Self.text(point.tauS, 2)) s"))
    }
    return lines + ["How offset and scale change with the temperature cannot be known from this."]
  }

  /// What to set the threshold of shakes to, as lines of node.toml.
  public var suggestion: [String] {
    let preset = ShakePreset.fixed.settings.onG
    let least = "four times the noise in band are \(Self.shortest(quietestOnG)) g"
    let handheld = "# The preset handheld starts at \(Self.shortest(ShakePreset.handheld.settings.onG)) g"
    guard quietestOnG > preset else {
      return ["# shake.preset = \"fixed\" can stay at its \(Self.shortest(preset)) g: \(least).", "\(handheld)."]
    }
    return [
      "# For a node that is bolted down; \(least).",
      "[shake]", "preset = \"fixed\"", "on_g = \(Self.shortest(quietestOnG))",
      quietestOnG < ShakePreset.handheld.settings.onG
        ? "\(handheld), far above the noise." : "\(handheld): too little.",
    ]
  }

  private func row(_ name: String, _ text: String) -> String { TextWidth.fit(name, to: 9) + text }

  private static func text(_ value: Double, _ decimals: Int) -> String { Decimal.text(value, decimals: decimals) }

  private static func signed(_ value: Double, _ decimals: Int) -> String {
    (value >= 0 ? "+" : "") + text(value, decimals)
  }

  private static func axes(_ value: Vector, _ decimals: Int) -> String {
    "x \(text(value.x, decimals)), y \(text(value.y, decimals)), z \(text(value.z, decimals))"
  }

  /// 0.012, without zeros at the end.
  static func shortest(_ value: Double) -> String {
    var text = Decimal.text(value, decimals: 6)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
