import Testing

@testable import MQTT

@Suite("The choice of the MQTT version")
struct VersionChoiceTests {
  private let dayS = 86_400.0

  @Test("begins with 5, and stays with what is set")
  func beginning() {
    #expect(VersionChoice(.automatic).next == .v5)
    for (setting, version) in [(BrokerSettings.Version.v5, ProtocolVersion.v5), (.v311, .v311)] {
      var choice = VersionChoice(setting)
      let triesOther = choice.wasRefused()
      #expect(!triesOther)
      choice.wasHungUpOn()
      choice.succeeded(atS: 0)
      choice.connectionEnded(atS: 10 * dayS)
      #expect(choice.next == version)
    }
  }

  @Test("goes to 3.1.1 at once when 5 is refused, and not in a circle")
  func refusal() {
    var choice = VersionChoice(.automatic)
    let triesAtOnce = choice.wasRefused()
    #expect(triesAtOnce)
    #expect(choice.next == .v311)
    let triesAgain = choice.wasRefused()
    #expect(!triesAgain)
    #expect(choice.next == .v5)
  }

  @Test("tries 3.1.1 after a broker hung up on the greeting")
  func hangUp() {
    var choice = VersionChoice(.automatic)
    choice.wasHungUpOn()
    #expect(choice.next == .v311)
    choice.wasHungUpOn()
    #expect(choice.next == .v5)
  }

  @Test("believes a broker that has spoken 5 until it hangs up three times in a row")
  func belief() {
    var choice = VersionChoice(.automatic)
    choice.succeeded(atS: 0)
    choice.wasHungUpOn()
    choice.wasHungUpOn()
    #expect(choice.next == .v5)
    choice.succeeded(atS: 10)
    choice.wasHungUpOn()
    choice.wasHungUpOn()
    #expect(choice.next == .v5)
    choice.wasHungUpOn()
    #expect(choice.next == .v311)
  }

  @Test("gives 5 another chance on the first reconnect after a day")
  func secondChance() {
    var choice = VersionChoice(.automatic)
    _ = choice.wasRefused()
    choice.succeeded(atS: 100)
    choice.connectionEnded(atS: 100 + dayS - 1)
    #expect(choice.next == .v311)
    choice.succeeded(atS: 100 + dayS)
    choice.connectionEnded(atS: 100 + dayS + 1)
    #expect(choice.next == .v5)
    let triesAtOnce = choice.wasRefused()
    #expect(triesAtOnce)
    choice.succeeded(atS: 100 + dayS + 2)
    choice.connectionEnded(atS: 100 + dayS + 3)
    #expect(choice.next == .v311)
  }
}
