import Glibc

/// Many runs, one after the other, and what they came to.
struct Campaign {
  var first: UInt64
  var count: Int
  /// Runs of the length that the tests have.
  var isShort = false
  var mutation: Mutation?
  /// Every line of every run is printed.
  var isTraced: Bool

  private static let mostFailures = 10

  /// True when nothing was violated.
  func play() -> Bool {
    var failures = 0
    var (steps, faults, totals) = (0, [String: Int](), Oracle.Counts())
    let clock = ContinuousClock()
    let start = clock.now
    var played = 0
    for seed in first..<first + UInt64(count) {
      let outcome = Run.play(seed: seed, isShort: isShort, mutation, print: isTraced ? { say($0) } : nil)
      played += 1
      steps += outcome.steps
      faults.merge(outcome.faults, uniquingKeysWith: +)
      totals.add(outcome.counts)
      guard let violation = outcome.violation else { continue }
      failures += 1
      tell(outcome, violation)
      if failures >= Campaign.mostFailures { break }
    }
    let seconds = (clock.now - start) / .seconds(1)
    say(
      "simulate: \(played) seeds from \(first), \(failures) with a violation, \(round(seconds)) s, "
        + "\(round(Double(played) / max(seconds, 0.001))) seeds/s, \(steps / max(played, 1)) steps a run")
    say(
      "simulate: in all \(totals.made) events made, \(totals.published) publications, \(totals.stored) stored, "
        + "\(totals.committed) committed, \(totals.evicted) given up, \(totals.recoveries) recoveries, "
        + "\(totals.alerts) alerts, \(totals.live) live events timed")
    let kinds = faults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let perRun = Double(faults.values.reduce(0, +)) / Double(max(played, 1))
    say("simulate: \(round(perRun)) faults a run: \(kinds)")
    return failures == 0
  }

  private func tell(_ outcome: Run.Outcome, _ violation: Violation) {
    if !isTraced { for line in outcome.trace { say("  \(line)") } }
    say(
      "simulate: seed \(outcome.seed), step \(violation.step), \(round(violation.atS)) s, after \"\(violation.what)\":")
    say("  \(violation.invariant.rawValue): \(violation.text)")
    say("  again with: make simulate SEEDS=1 SEED=\(outcome.seed)\(isShort ? " SHORT=1" : "") TRACE=1")
  }

  private func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// One line on standard output, at once: a run that hangs has said where it is.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDOUT_FILENO, bytes, bytes.count)
}
