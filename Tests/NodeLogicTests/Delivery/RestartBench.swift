import Telemetry

@testable import NodeLogic

/// A node over a spool, one run after the other.
struct RestartBench {
  var spool = ModelSpool()
  var outbox: Outbox
  var now = Instant(seconds: 1)
  private let delivery: OutboxSettings.Delivery

  init(_ delivery: OutboxSettings.Delivery) {
    self.delivery = delivery
    outbox = RestartBench.outbox(BootID(1), delivery)
    spool.open(BootID(1))
    talk()
  }

  private static func outbox(_ boot: BootID, _ delivery: OutboxSettings.Delivery) -> Outbox {
    var settings = OutboxSettings()
    settings.hasSpool = true
    settings.delivery = delivery
    return Outbox(boot: boot, settings)
  }

  mutating func restart() {
    let boot = BootID(outbox.boot.value + 1)
    spool.open(boot)
    outbox = RestartBench.outbox(boot, delivery)
    now = Instant(seconds: 1)
    talk()
  }

  mutating func append(_ telegram: Telegram) {
    var telegram = telegram
    telegram.envelope.boot = outbox.boot
    outbox.append(telegram, at: now)
    talk()
  }

  mutating func talk() {
    for _ in 0..<200 {
      let wishes = outbox.takeWishes(at: now)
      for wish in wishes { spool.handle(wish) }
      spool.commit()
      let words = spool.words.filter { if case .state = $0 { false } else { true } }
      spool.words = []
      for word in words { outbox.hear(word, at: now) }
      if wishes.isEmpty, words.isEmpty { break }
    }
  }

  /// What is sent within so many seconds to a broker that takes everything but what is denied.
  mutating func sent(_ seconds: Double, denying denied: Set<Telemetry.Stream> = []) -> [Telegram] {
    var sent: [Telegram] = []
    for _ in 0..<Int(seconds / 0.05) {
      now = now + 0.05
      talk()
      for outgoing in outbox.next(at: now) {
        let isDenied = denied.contains(outgoing.telegram.body.stream)
        if isDenied {
          outbox.deny(outgoing.token ?? 0, at: now)
        } else {
          outbox.deliver(outgoing.token ?? 0, at: now)
          sent.append(outgoing.telegram)
        }
      }
    }
    return sent
  }
}
