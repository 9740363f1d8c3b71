internal import Glibc

/// A mutex around a value. All that threads share goes through one of these.
///
/// pthread_mutex_t rather than `Synchronization.Mutex`, because ThreadSanitizer understands it: the other reports
/// races that are none.
///
/// `@unchecked Sendable`: the value is only reachable inside `withLock`, which holds the mutex.
public final class Lock<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// A free lock around `value`.
  public init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` alone with the value.
  public func withLock<Result, Failure: Error>(_ body: (inout Value) throws(Failure) -> Result) throws(Failure)
    -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Waits until `body` answers something, looking again after each `signal()`.
  public func wait<Result>(_ body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Wakes every thread in `wait`.
  public func signal() {
    pthread_cond_broadcast(condition)
  }
}
