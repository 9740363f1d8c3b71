internal import Glibc

/// CLOCK_MONOTONIC [s]: the one clock of all stamps.
func monotonicS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Sleeps up to an instant of `monotonicS`: clock_nanosleep(2).
func sleep(untilS: Double) {
  let seconds = untilS.rounded(.down)
  var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((untilS - seconds) * 1e9))
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}

/// Since 1970 [s].
func calendarS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
