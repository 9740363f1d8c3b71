internal import Daemon
internal import Telemetry

/// How a sink of the kind `sendmail` makes mail.
public struct MailSettings: Equatable, Sendable {
  /// The program and its arguments; it takes the message on standard input and its receivers from there.
  public var arguments: [String]
  /// The address that it is from.
  public var from: String
  /// The addresses that get it.
  public var to: [String]
  /// How long the program may take [s].
  public var limitS: Double

  /// - Parameter program: gets `-i -t` as arguments.
  public init(program: String = "/usr/sbin/sendmail", from: String, to: [String], limitS: Double = 30) {
    arguments = [program, "-i", "-t"]
    self.from = from
    self.to = to
    self.limitS = limitS
  }
}

/// Hands one mail for all that waits to a program like sendmail(8).
///
/// `@unchecked Sendable`: used by the sink's thread alone.
final class MailCourier: Courier, @unchecked Sendable {
  private let settings: MailSettings

  init(_ settings: MailSettings) {
    self.settings = settings
  }

  var batch: Int { 10_000 }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome {
    let message = MailMessage(settings, notices, at: MonotonicClock.process.wallClock())
    var child = ChildRun(settings.arguments, environment: CommandCourier.environment, limitS: settings.limitS)
    return child.outcome(message.bytes, errand)
  }
}
