import Foundation
import Rig
import Telemetry
import Testing

@testable import Daemon

@Suite struct MonotonicClockTests {
  @Test func timeNeverGoesBackAndStartsAtTheOrigin() {
    let clock = MonotonicClock(originNanoseconds: MonotonicClock.monotonicNanoseconds())
    var last = clock.now()
    #expect(last.seconds >= 0 && last.seconds < 5)
    for _ in 0..<1000 {
      let now = clock.now()
      #expect(now >= last)
      last = now
    }
  }

  @Test func kernelTimeStampsBecomeInstants() {
    let clock = MonotonicClock(originNanoseconds: 5_000_000_000)
    #expect(clock.instant(monotonicNanoseconds: 7_500_000_000) == Instant(seconds: 2.5))
    #expect(clock.instant(monotonicNanoseconds: 4_000_000_000) == Instant(seconds: -1))
    _ = clock.instant(monotonicNanoseconds: .min)
  }

  @Test func wallClockIsTheMachinesTime() {
    let difference = MonotonicClock.process.wallClock().seconds - Date().timeIntervalSince1970
    #expect(abs(difference) < 1)
  }
}

@Suite struct ClockProbeTests {
  @Test func stateTurnsInstantsIntoTheMachinesTime() {
    let clock = MonotonicClock.process
    let state = ClockProbe(clock: clock).read()
    #expect(abs(state.wall(at: clock.now()) - clock.wallClock()) < 0.1)
  }

  @Test(arguments: [
    (true, 0.0, false, ClockQuality.ntp), (true, 2e9, true, .ntp), (false, 2e9, true, .rtc), (false, 2e9, false, .none),
    (false, 1_735_689_599, true, .none), (false, 1_735_689_600, true, .rtc), (false, 0, true, .none),
  ])
  func qualityFollowsFromWhatTheKernelSays(
    isSynchronised: Bool, wall: Double, hasRealTimeClock: Bool, quality: ClockQuality
  ) {
    #expect(
      ClockProbe.quality(
        isSynchronised: isSynchronised, wall: WallTime(seconds: wall), hasRealTimeClock: hasRealTimeClock) == quality)
  }

  @Test func realTimeClockIsFoundInEitherPlace() throws {
    let none = try Workplace()
    #expect(!ClockProbe(root: none.folder.path).hasRealTimeClock())
    try FileManager.default.createDirectory(atPath: none.path("sys/class/rtc"), withIntermediateDirectories: true)
    #expect(!ClockProbe(root: none.folder.path).hasRealTimeClock())
    try FileManager.default.createDirectory(atPath: none.path("sys/class/rtc/rtc0"), withIntermediateDirectories: true)
    #expect(ClockProbe(root: none.folder.path + "/").hasRealTimeClock())
    let device = try Workplace()
    try FileManager.default.createDirectory(atPath: device.path("dev"), withIntermediateDirectories: true)
    try device.write("dev/rtc0", "")
    #expect(ClockProbe(root: device.folder.path).hasRealTimeClock())
  }

  @Test func withoutARealTimeClockTheQualityIsNeverRTC() throws {
    let empty = try Workplace()
    #expect(ClockProbe(root: empty.folder.path).read().quality != .rtc)
  }
}

@Suite struct SignalsTests {
  /// Signals of this thread alone: other threads of the test program do not block them, and would die.
  @Test func signalsAreReadFromADescriptor() throws {
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let signals = try Signals(Set(ProcessSignal.allCases))
    #expect(signals.next() == nil)

    let loop = EventLoop()
    var seen: [ProcessSignal] = []
    loop.watch(signals.descriptor) { _ in
      while let signal = signals.next() { seen.append(signal) }
    }
    for signal in ProcessSignal.allCases {
      #expect(pthread_kill(pthread_self(), signal.rawValue) == 0)
      try loop.turn(timeout: 2)
    }
    #expect(seen == ProcessSignal.allCases)
    #expect(signals.next() == nil)
  }

  @Test func numbersAreThoseOfTheSystem() {
    #expect(ProcessSignal.hangUp.rawValue == SIGHUP)
    #expect(ProcessSignal.interrupt.rawValue == SIGINT)
    #expect(ProcessSignal.terminate.rawValue == SIGTERM)
    #expect(ProcessSignal.windowChange.rawValue == SIGWINCH)
    #expect(ProcessSignal.stop.rawValue == SIGTSTP)
    #expect(ProcessSignal.goOn.rawValue == SIGCONT)
  }
}

@Suite struct CredentialsTests {
  private func text(of text: String) throws -> String {
    let place = try Workplace()
    return try Credentials(environment: [:]).read(try place.write("secret", text)).text
  }

  @Test func oneLineBreakAtTheEndIsDropped() throws {
    #expect(try text(of: "hunter2\n") == "hunter2")
    #expect(try text(of: "hunter2\r\n") == "hunter2")
    #expect(try text(of: "hunter2") == "hunter2")
    #expect(try text(of: " two\nlines \n\n") == " two\nlines \n")
  }

  @Test func fileBeatsCredentialBeatsEnvironment() throws {
    let place = try Workplace()
    let file = try place.write("file", "from file\n")
    try place.write("mqtt-password", "from credential\n")
    let all = ["CREDENTIALS_DIRECTORY": place.folder.path, "JUDDER_PASSWORD": "from environment"]
    func secret(_ file: String?, _ environment: [String: String]) throws -> Secret? {
      try Credentials(environment: environment).secret(file: file, name: "mqtt-password", variable: "JUDDER_PASSWORD")
    }
    #expect(try secret(file, all)?.text == "from file")
    #expect(try secret(nil, all)?.text == "from credential")
    #expect(try secret(nil, all)?.source == place.path("mqtt-password"))
    let absent = all.merging(["CREDENTIALS_DIRECTORY": place.path("absent")]) { _, new in new }
    #expect(try secret(nil, absent)?.text == "from environment")
    #expect(try secret(nil, absent)?.source == "environment JUDDER_PASSWORD")
    #expect(try secret(nil, ["JUDDER_PASSWORD": ""]) == nil)
    #expect(try secret(nil, [:]) == nil)
  }

  @Test func everyOtherUsersEyesAreWarnedOf() throws {
    let place = try Workplace()
    let path = try place.write("secret", "x")
    chmod(path, 0o644)
    let credentials = Credentials(environment: [:])
    #expect(try credentials.read(path).warning == "\(path): every user can read this secret; chmod o-r it")
    chmod(path, 0o640)
    #expect(try credentials.read(path).warning == nil)
  }

  @Test func uselessFilesAreRefusedWithTheirPath() throws {
    let place = try Workplace()
    let credentials = Credentials(environment: [:])
    func complaint(_ path: String) -> Termination? {
      do throws(Termination) {
        _ = try credentials.read(path)
        return nil
      } catch { return error }
    }
    let empty = try place.write("empty", "\n")
    #expect(complaint(empty) == Termination(.configuration, ["\(empty): the secret is empty"]))
    let absent = place.path("absent")
    #expect(
      complaint(absent)
        == Termination(.configuration, ["\(absent): the secret cannot be read: No such file or directory"]))
    let binary = place.path("binary")
    try Data([0x61, 0xFF]).write(to: URL(fileURLWithPath: binary))
    #expect(complaint(binary)?.lines == ["\(binary): the secret must be UTF-8 text without NUL"])
    #expect(complaint(try place.write("huge", String(repeating: "x", count: 70_000)))?.code == .configuration)
  }

  @Test func describingASecretDoesNotTellIt() throws {
    let place = try Workplace()
    let secret = try Credentials(environment: [:]).read(try place.write("secret", "hunter2"))
    #expect(!"\(secret)".contains("hunter2"))
  }
}

@Suite struct ProcessUsageTests {
  @Test func ownUsageIsPlausible() throws {
    let usage = ProcessUsage.read()
    #expect((1000...10_000_000).contains(try #require(usage.residentKB)))
    #expect(try #require(usage.cpuSeconds) > 0)
  }

  @Test func pagesBecomeKilobytes() throws {
    let place = try Workplace()
    try FileManager.default.createDirectory(atPath: place.path("self"), withIntermediateDirectories: true)
    try place.write("self/statm", "9000 1000 200 1 0 300 0\n")
    #expect(
      ProcessUsage.read(procRoot: place.folder.path).residentKB == 1000 * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    for broken in ["", "1", "1 x", "1 -5", "1 9223372036854775807"] {
      try place.write("self/statm", broken)
      #expect(ProcessUsage.read(procRoot: place.folder.path).residentKB == nil, "\(broken)")
    }
    #expect(ProcessUsage.read(procRoot: place.path("absent")).residentKB == nil)
  }
}

@Suite struct SmallThingsTests {
  @Test func bootsHaveDifferentNames() throws {
    let names = try Set((0..<100).map { _ in try RandomSource.bootID() })
    #expect(names.count > 95)
  }

  @Test func environmentIsThatOfTheProcess() {
    setenv("TEST_OF_THE_ENVIRONMENT", "a=b=\n", 1)
    #expect(processEnvironment()["TEST_OF_THE_ENVIRONMENT"] == "a=b=\n")
    #expect(processEnvironment()["PATH"] == ProcessInfo.processInfo.environment["PATH"])
  }

  @Test func exitCodesAreThoseOfSysexits() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 69, 75, 77, 78])
  }

  @Test func errorsHaveTheWordsOfTheSystem() {
    #expect(systemErrorText(ENOENT) == "No such file or directory")
    #expect(systemErrorText(-5) == "error -5")
  }
}
