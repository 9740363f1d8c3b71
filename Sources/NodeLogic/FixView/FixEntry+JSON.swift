internal import Telemetry

/// Events as objects of JSON.
extension FixEntry {
  /// One object. A message that would be published is `{"topic":...,"payload":{...}}`; everything else has `event`, and
  /// `up` [s], the node's monotonic time.
  public func json() -> String {
    var writer = JSONWriter()
    writer.object { object in
      if case .published(let topic, let telegram) = event {
        object.string("topic", topic.description)
        object.json("payload", telegram.encode())
        return
      }
      object.number("up", at.seconds, decimals: 3)
      object.string("event", name)
      write(to: &object)
    }
    return writer.text
  }

  private var name: String {
    switch event {
    case .link: "gpsd"
    case .devices: "devices"
    case .report: "report"
    case .refusal: "refusal"
    case .unreadable: "bad_line"
    case .decided: "decision"
    case .lost: "lost"
    case .published: "published"
    case .accelerometer: "accelerometer"
    }
  }

  private func write(to object: inout JSONWriter) {
    switch event {
    case .link(.up(let release)):
      object.string("state", "up")
      object.string("release", release)
    case .link(.down(let reason)):
      object.string("state", "down")
      object.string("reason", reason)
    case .devices(let devices):
      object.array("devices") { array in
        for device in devices where device.isActivated {
          array.object {
            $0.string("path", device.path)
            $0.string("driver", device.driver)
          }
        }
      }
    case .report(let report, let sky):
      object.string("device", report.device)
      object.integer("mode", report.mode)
      object.integer("used", sky?.used)
      object.integer("seen", sky?.seen)
    case .refusal(let text), .accelerometer(let text): object.string("text", text)
    case .unreadable(let problem): object.string("problem", problem.rawValue)
    case .decided(let decision): decision.write(to: &object)
    case .lost(let loss):
      object.string("reason", loss.reason.rawValue)
      object.string("text", loss.sentence)
    case .published: break
    }
  }
}

extension FixDecision {
  fileprivate func write(to object: inout JSONWriter) {
    switch verdict {
    case .published(let cause):
      object.string("verdict", "published")
      object.string("reason", cause.rawValue)
    case .withheld(let why):
      object.string("verdict", "withheld")
      object.string("reason", why.word.rawValue)
      why.write(to: &object)
    case .rejected(let why):
      object.string("verdict", "rejected")
      object.string("reason", why.word.rawValue)
      why.write(to: &object)
    }
    object.string("text", text)
    object.number("moved_m", movedM, decimals: 1)
    object.number("needed_m", neededM, decimals: 1)
    object.boolean("jump", isJump ? true : nil)
    fix.write(to: &object)
  }
}

extension FixDecision.Withholding {
  fileprivate func write(to object: inout JSONWriter) {
    switch self {
    case .near(_, _, let remainingS): object.number("remaining_s", remainingS, decimals: 1)
    case .standing(let distanceM, let allowanceM, _):
      object.number("distance_m", distanceM, decimals: 1)
      object.number("allowance_m", allowanceM, decimals: 1)
    case .unconfirmed(let distanceM, let allowanceM, let fixes):
      object.number("distance_m", distanceM, decimals: 1)
      object.number("allowance_m", allowanceM, decimals: 1)
      object.integer("fixes", fixes)
    case .otherDevice(let followed): object.string("followed", followed)
    }
  }
}

extension FixDecision.Rejection {
  fileprivate func write(to object: inout JSONWriter) {
    switch self {
    case .accuracy(_, let limitM): object.number("limit_m", limitM, decimals: 1)
    case .reportedSpeed(_, let limitMPS): object.number("limit_mps", limitMPS, decimals: 1)
    case .speed(let leap, let limitMPS):
      object.number("limit_mps", limitMPS, decimals: 1)
      leap.write(to: &object)
    case .acceleration(let leap, let limitMPS2):
      object.number("limit_mps2", limitMPS2, decimals: 1)
      leap.write(to: &object)
    case .simulated: break
    case .repeated(let durationS): object.number("repeated_s", durationS, decimals: 1)
    }
  }
}

extension FixDecision.Leap {
  fileprivate func write(to object: inout JSONWriter) {
    object.number("distance_m", distanceM, decimals: 1)
    object.number("duration_s", durationS, decimals: 2)
    object.number("reach_m", reachM, decimals: 1)
    object.integer("agreeing", agreeing)
  }
}

extension Fix {
  fileprivate func write(to object: inout JSONWriter) {
    object.string("device", device)
    object.integer("fix", dimensions)
    object.string("status", status?.rawValue)
    object.number("lat", coordinate.latitude, decimals: 7)
    object.number("lon", coordinate.longitude, decimals: 7)
    object.number("acc_m", accuracy?.metres, decimals: 1)
    object.number("speed_mps", speedMPS, decimals: 2)
    object.number("fix_t", time?.seconds, decimals: 3)
    object.number("received_up", receivedAt.seconds, decimals: 3)
  }
}
