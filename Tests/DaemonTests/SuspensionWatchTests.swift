import Daemon
import Testing

/// Notices that the machine was suspended.
@Suite struct SuspensionWatchTests {
  private final class Machine {
    var suspendedS = 100.0
  }

  @Test func eachSleepIsToldOnce() {
    let machine = Machine()
    var watch = SuspensionWatch { machine.suspendedS }
    #expect(watch.change() == nil, "what was before the start is no news")
    machine.suspendedS = 28_900
    #expect(watch.change() == 28_800)
    #expect(watch.change() == nil)
  }

  @Test func aProcessThatIsHeldUpBetweenTwoReadingsIsNoSleep() {
    let machine = Machine()
    var watch = SuspensionWatch { machine.suspendedS }
    machine.suspendedS = 98
    #expect(watch.change() == nil)
    machine.suspendedS = 100
    #expect(watch.change() == nil)
  }

  @Test func shortSleepsAddUp() {
    let machine = Machine()
    var watch = SuspensionWatch { machine.suspendedS }
    machine.suspendedS = 100.25
    #expect(watch.change() == nil)
    machine.suspendedS = 100.75
    #expect(watch.change() == 0.75)
  }

  @Test func thisMachineDoesNotSleepMeanwhile() {
    var watch = SuspensionWatch()
    #expect(watch.change() == nil)
  }
}
