internal import Telemetry

/// The conversation of a calibration in six positions: samples in, lines for the person out.
public struct PositionsGuide: Sendable {
  /// Which position comes next and which are there.
  public private(set) var positions: SixPositions
  private var stillness: Stillness
  private let isAsking: Bool

  /// - Parameters:
  ///   - neededS: how long each side must lie still [s].
  ///   - isAsking: somebody is there to be asked; a recording cannot turn itself over.
  public init(neededS: Double, isAsking: Bool) {
    positions = SixPositions(isOrderFree: !isAsking)
    stillness = Stillness(neededS: neededS)
    self.isAsking = isAsking
  }

  /// All six are there.
  public var isComplete: Bool { positions.next == nil }

  /// What to ask for; nil when nothing is missing.
  public var question: String? {
    guard isAsking, let next = positions.next else { return nil }
    let neededS = Decimal.text(stillness.neededS, decimals: stillness.neededS < 10 ? 1 : 0)
    return "\(positions.meansG.count + 1) of 6: put the node so that its \(next.rawValue) side is up, and let go of it"
      + " for \(neededS) s"
  }

  /// Takes the next sample, and answers what to say: what became of a side that lay still, then the next question.
  public mutating func feed(_ sample: Sample) -> [String] {
    guard !isComplete, let still = stillness.feed(sample) else { return [] }
    let lines = [said(positions.take(still.meanG), still)]
    return lines + (question.map { [$0] } ?? [])
  }

  /// Tells that samples were lost here.
  public mutating func interrupt() { stillness.interrupt() }

  private func said(_ answer: SixPositions.Answer, _ still: StillStretch) -> String {
    let time = isAsking ? "" : "at \(Decimal.text(still.start.seconds, decimals: 1)) s: "
    switch answer {
    case .taken(let face):
      let numbers = [still.meanG.x, still.meanG.y, still.meanG.z].map { Decimal.text($0, decimals: 4) }
      return "\(time)\(face.rawValue) is up: \(numbers.joined(separator: ", ")) g, mean of \(still.count) samples"
    case .repeated(let face): return "\(time)\(face.rawValue) is up, which is there already: passed over"
    case .noGravity(let g):
      return
        "\(time)\(Decimal.text(g, decimals: 3)) g is not gravity: passed over; is the scale right?"
    case .unclear(let deg):
      let asked = isAsking ? positions.next.map { "; \($0.rawValue) was asked for" } ?? "" : ""
      return
        "\(time)this lies \(Decimal.text(deg, decimals: 0)) deg from any side that is known yet: passed over\(asked)"
    }
  }
}
