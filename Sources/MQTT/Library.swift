internal import CMosquitto
internal import Glibc
internal import Threading

/// What concerns libmosquitto as a whole.
enum Library {
  private static let isReady = Lock(false)

  /// Readies libmosquitto, once and for as long as the program runs: its own count of users is not locked.
  static func start() {
    isReady.withLock { isReady in
      if !isReady { mosquitto_lib_init() }
      isReady = true
    }
  }
}

/// Seconds of CLOCK_MONOTONIC.
func monotonicS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Seconds of CLOCK_BOOTTIME, which goes on while the machine sleeps, as the calendar does.
func bootTimeS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_BOOTTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
