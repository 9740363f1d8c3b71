import Telemetry
import Testing

@testable import NodeLogic

/// What a reload and a slow broker must not break.
@Suite struct ReconfigureTests {
  private func fix(_ time: Double) -> NodeInput {
    var position = GpsdPosition(device: "/dev/gps", mode: 3)
    position.latitude = 47
    position.longitude = 8
    position.time = WallTime(seconds: time)
    return .gpsd(.report(.position(position)))
  }

  @Test func aLossAfterNewLocationSettingsHasItsTrueReason() throws {
    var settings = NodeSettings()
    settings.location = LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 3)
    var node = Node(boot: BootID(1), settings, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .ntp))
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.gpsd(.link(.up(release: "3.22"))), at: .start)
    _ = node.handle(fix(1), at: Instant(seconds: 1))
    _ = node.handle(.tick, at: Instant(seconds: 2))
    settings.location?.distanceFilterM = 30
    _ = node.reconfigure(settings, at: Instant(seconds: 2))
    _ = node.handle(.gpsd(.report(.position(GpsdPosition(device: "/dev/gps", mode: 1)))), at: Instant(seconds: 3))
    let losses = node.handle(.tick, at: Instant(seconds: 5)).compactMap { effect -> LocationMessage.Loss? in
      guard case .publish(let outgoing) = effect, case .location(.lost(let loss)) = outgoing.telegram.body else {
        return nil
      }
      return loss
    }
    #expect(losses.map(\.reason) == [.noFix])
    #expect(losses.first?.last?.latitude == 47)
  }

  @Test func eventsRefusedForNowKeepTheirOrderAndStayLive() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.connect(at: .start)
    for id in 1...3 {
      let position = LocationMessage.Position(
        dimensions: 3, latitude: Double(id), longitude: 8, ageS: 0, cause: .distance)
      outbox.append(Telegram(Envelope(boot: BootID(1)), .location(.fixed(position))), at: .start)
    }
    _ = outbox.next(at: .start)
    for sequence: UInt64 in [1, 2, 3] { outbox.refuse(sequence, isPermanent: false, retryS: 1, at: .start) }
    let again = outbox.next(at: Instant(seconds: 1))
    #expect(again.compactMap(\.token) == [1, 2, 3])
    #expect(again.last?.isRetained == true)
  }
}
