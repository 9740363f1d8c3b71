import Testing

@testable import MQTT

@Suite("What a refusal is worth")
struct RefusalTests {
  @Test(
    "by the broker's reason code",
    arguments: [
      (0x87, Refusal.Kind.denied), (0x95, .tooLarge), (0x90, .invalid), (0x8F, .invalid), (0x99, .invalid),
      (0x9A, .unsupported), (0x9B, .unsupported), (0x9E, .unsupported), (0xA1, .unsupported), (0xA2, .unsupported),
      (0x80, .busy), (0x83, .busy), (0x91, .busy), (0x97, .busy),
    ] as [(Int32, Refusal.Kind)])
  func reason(code: Int32, kind: Refusal.Kind) {
    let refusal = Refusal(reason: code)
    #expect(refusal.kind == kind && refusal.code == Int(code))
    #expect(refusal.isPermanent == (kind != .busy))
    #expect(refusal.description.hasPrefix("the broker says: ") && !refusal.description.contains("\n"))
  }

  @Test(
    "by libmosquitto, before it was sent",
    arguments: [
      (3, Refusal.Kind.invalid), (18, .invalid), (25, .tooLarge), (9, .tooLarge), (24, .unsupported),
      (28, .unsupported), (1, .busy),
    ] as [(Int32, Refusal.Kind)])
  func library(code: Int32, kind: Refusal.Kind) {
    let refusal = Refusal(library: code)
    #expect(refusal.kind == kind && refusal.code == nil)
    #expect(!refusal.description.isEmpty)
  }
}
