internal import Telemetry

extension GpsdSession {
  /// How patient a session is. All times in seconds, > 0.
  public struct Settings: Equatable, Sendable {
    /// Watch this device only: its path, exactly as gpsd names it. Nil watches whatever gpsd has.
    public var device: String?
    /// From the attempt to a connection, the look-up of the name included.
    public var connectS = 10.0
    /// From the connection to the VERSION banner. systemd may own the port and accept for a gpsd that never starts.
    public var bannerS = 10.0
    /// From the first request to watch to its echo. gpsd opens its receivers meanwhile, a second and more for each.
    public var echoS = 5.0
    /// From a later request to its answer.
    public var answerS = 5.0
    /// Without a report from a receiver for so long, gpsd is asked again.
    public var silenceS = 10.0
    /// From asking again to asking which devices there are. gpsd 3.22 notices an unplugged receiver only when the
    /// watch made it look, a moment later.
    public var devicesAfterWatchS = 2.0
    /// The longest pause between two questions to a gpsd that answers and has nothing to report.
    public var longestSilenceS = 30.0
    /// Away for so long, now and then, from a gpsd that lists a receiver which says nothing: gpsd 3.22 closes one that
    /// nobody has watched for a minute, unless it runs with `-n` or others watch.
    public var releaseS = 65.0
    /// The first pause after a lost connection; doubles up to `longestBackoffS`.
    public var backoffS = 1.0
    public var longestBackoffS = 60.0
    /// A connection that held for so long was good: the next pause is the first one again.
    public var stableS = 10.0

    /// - Parameter lostAfterS: when a missing fix counts as lost [s]: what gpsd has to say about it is asked for
    ///   before, so that the loss is told with its reason at once. 30 and more leaves the defaults; less than 5 is 5.
    public init(device: String? = nil, lostAfterS: Double = 30) {
      self.device = device
      let share = min(max(lostAfterS, 5), 30) / 30
      silenceS *= share
      // A gpsd that opens a receiver first takes over a second for the answer.
      answerS = max(answerS * share, 2)
      devicesAfterWatchS *= share
    }

    /// The lines of a request to watch, ended by a newline.
    var watchRequest: [UInt8] {
      var json = JSONWriter(capacity: 128)
      json.object {
        $0.boolean("enable", true)
        $0.boolean("json", true)
        $0.string("device", device)
      }
      return Array("?WATCH=".utf8) + json.bytes + Array(";\n".utf8)
    }

    /// Asks which devices there are; gpsd always answers.
    static let devicesRequest = Array("?DEVICES;\n".utf8)
  }
}
