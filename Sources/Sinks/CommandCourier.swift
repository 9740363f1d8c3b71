internal import Telemetry

/// What a sink of the kind `command` runs.
public struct CommandSettings: Equatable, Sendable {
  /// The program's path and its arguments; no shell looks at them.
  public var arguments: [String]
  /// How long it may run [s].
  public var limitS: Double

  public init(arguments: [String], limitS: Double = 30) {
    self.arguments = arguments
    self.limitS = limitS
  }
}

/// Runs a program for each notice, with its JSON on standard input.
///
/// Exit code 0: done. 75 (EX_TEMPFAIL of sysexits.h): again later. Anything else, a signal or the time limit: failed.
///
/// `@unchecked Sendable`: used by the sink's thread alone.
final class CommandCourier: Courier, @unchecked Sendable {
  private let settings: CommandSettings

  init(_ settings: CommandSettings) {
    self.settings = settings
  }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome {
    guard let notice = notices.first else { return .done }
    var child = ChildRun(
      settings.arguments, environment: Self.environment + Self.variables(notice), limitS: settings.limitS)
    return child.outcome(notice.json + [UInt8(ascii: "\n")], errand)
  }

  /// All that a program is told besides the notice.
  static let environment = ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]

  /// Nothing in them means anything to a shell, however carelessly a script uses them.
  static func variables(_ notice: Notice) -> [String] {
    [
      ("RULE", notice.rule), ("NODE", notice.node), ("STATE", notice.state), ("SEVERITY", notice.severity),
      ("ID", notice.id),
    ].map { "JUDDER_ALERT_\($0.0)=\(plain($0.1))" }
  }

  /// Letters, digits and a few marks; anything else becomes an underline.
  static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar {
          case "a"..."z", "A"..."Z", "0"..."9", "@", ".", "_", ":", "/", "-": scalar
          default: "_"
          }
        }))
  }
}

extension ChildRun {
  /// EX_TEMPFAIL.
  private static let again: Int32 = 75

  /// Runs it to its end, and judges that.
  mutating func outcome(_ input: [UInt8], _ errand: any Errand) -> CourierOutcome {
    let program = SafeText.escaped(arguments[0])
    let end: End
    do throws(SinkProblem) {
      end = try run(input, errand)
    } catch {
      return .failed(error)
    }
    let words = said.isEmpty ? "" : ": \(said)"
    if !said.isEmpty { errand.log("heard from \(program)\(words)") }
    switch end {
    case .exited(0): return .done
    case .exited(Self.again):
      return .later(SinkProblem("\(program) asks to be tried again later (75)\(words)"), afterS: nil)
    case .exited(let code): return .failed(SinkProblem("\(program) ended with \(code)\(words)"))
    case .killed(let signal): return .failed(SinkProblem("\(program) was ended by signal \(signal)\(words)"))
    case .timedOut: return .failed(SinkProblem("\(program) took longer than timeout_s"))
    case .stopped: return .stopped
    }
  }
}
