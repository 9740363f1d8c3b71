internal import Telemetry

/// How a try to hand notices on has ended.
enum CourierOutcome: Equatable, Sendable {
  case done
  /// The receiver is away or busy: again later, however often. It may have said when [s].
  case later(SinkProblem, afterS: Double?)
  /// Again later, up to a number of tries.
  case failed(SinkProblem)
  /// No further try would help.
  case refused(SinkProblem)
  /// The program is about to stop: the try does not count.
  case stopped
}

/// Hands notices to one receiver. Used by one thread, which it may keep waiting, as long as it calls `attend` whenever
/// the errand's descriptors are readable.
protocol Courier: AnyObject {
  /// How many go at a time.
  var batch: Int { get }
  /// What fires is told again after so long [s]; nil: everything is told once.
  var resendS: Double? { get }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome
}

extension Courier {
  var batch: Int { 1 }
  var resendS: Double? { nil }
}

/// What a courier has to mind while it waits.
protocol Errand: AnyObject {
  /// Readable when there is something to attend to, and from when the program is to stop.
  var arrivals: Int32 { get }
  var ending: Int32 { get }
  /// Takes in what has arrived; never for long.
  func attend()
  var isStopping: Bool { get }
  func log(_ text: String)
  func warn(_ text: String)
}
