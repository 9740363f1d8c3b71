import Daemon
import Testing

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("rate", "rate_hz"), ("rate_hs", "rate_hz"), ("RATE-HZ", "rate_hz"), ("raet_hz", "rate_hz"), ("hots", "host"),
    ("prot", "port"), ("window", "window_s"), ("interval", "interval_s"),
  ])
  func findsWhatWasMeant(written: String, meant: String) {
    #expect(nearestName(to: written, among: ["host", "rate_hz", "port", "window_s", "interval_s"]) == meant)
  }

  @Test(arguments: ["", "zzz", "entirely_different", "h", String(repeating: "x", count: 100_000)])
  func staysSilentWhenNothingIsNear(written: String) {
    #expect(nearestName(to: written, among: ["host", "rate_hz", "port"]) == nil)
  }

  @Test func theNearerWins() {
    #expect(nearestName(to: "port", among: ["sport", "port"]) == "port")
  }
}
