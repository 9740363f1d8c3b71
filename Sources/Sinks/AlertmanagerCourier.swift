internal import Telemetry

/// The Alertmanagers of a sink of that kind.
public struct AlertmanagerSettings: Equatable, Sendable {
  /// Without `/api/v2/alerts`. Several belong to one cluster: each is told everything.
  public var urls: [String]
  /// How they are reached.
  public var http: HTTPSettings
  /// What fires is told again after so long [s].
  public var resendS: Double

  public init(urls: [String], http: HTTPSettings = HTTPSettings(), resendS: Double = 60) {
    self.urls = urls
    self.http = http
    self.resendS = resendS
  }
}

/// Tells Alertmanagers what fires, again and again, and what is resolved, over their API v2 (`postAlerts` of its
/// OpenAPI description). Taken by one of them it is delivered, since a lost firing is told again, and a lost end lapses
/// by their `resolve_timeout`.
///
/// `@unchecked Sendable`: used by the sink's thread alone.
final class AlertmanagerCourier: Courier, @unchecked Sendable {
  private let settings: AlertmanagerSettings
  /// Of each, what it did last.
  private var troubles: [String?]

  init(_ settings: AlertmanagerSettings) {
    self.settings = settings
    troubles = settings.urls.map { _ in nil }
  }

  var batch: Int { 64 }
  var resendS: Double? { settings.resendS }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome {
    let body = Self.body(notices)
    let outcomes = settings.urls.map { url -> CourierOutcome in
      let base = url.hasSuffix("/") ? String(url.dropLast()) : url
      return HTTPRequest("\(base)/api/v2/alerts", settings.http, body: body).run(errand).outcome(shownPlace(url))
    }
    note(outcomes, errand)
    if outcomes.contains(.done) { return .done }
    // One that is away may take what another refuses.
    let later = outcomes.first { if case .refused = $0 { false } else { true } }
    return later ?? outcomes.first ?? .done
  }

  /// One of several that fails is worth a line, though nothing is lost.
  private func note(_ outcomes: [CourierOutcome], _ errand: any Errand) {
    for (place, outcome) in outcomes.enumerated() where outcome != .stopped {
      let trouble = outcome.problem?.description
      if trouble != troubles[place], outcomes.contains(.done), let trouble {
        errand.warn("one of its receivers takes nothing: \(trouble)")
      }
      troubles[place] = trouble
    }
  }

  /// Of several notices of one alert the last counts.
  static func body(_ notices: [Notice]) -> [UInt8] {
    var latest: [String: Int] = [:]
    for (place, notice) in notices.enumerated() { latest[notice.identity] = place }
    var json = JSONWriter(capacity: 4096)
    json.array { json in
      for (place, notice) in notices.enumerated() where latest[notice.identity] == place { write(notice, &json) }
    }
    return json.bytes
  }

  private static func write(_ notice: Notice, _ json: inout JSONWriter) {
    json.object { json in
      json.object("labels") { json in
        for label in notice.labels { json.string(label.name, label.value) }
      }
      json.object("annotations") { json in
        json.string("summary", notice.summary)
        json.string("reason", notice.reason)
        json.string("value", notice.value.map { Decimal.text($0, decimals: 6) })
        json.string("count", String(notice.count))
      }
      json.string("startsAt", notice.since.rfc3339)
      // An end before the start is refused.
      if notice.isResolved { json.string("endsAt", max(notice.time, notice.since).rfc3339) }
    }
  }
}

extension CourierOutcome {
  var problem: SinkProblem? {
    switch self {
    case .done, .stopped: nil
    case .later(let problem, _), .failed(let problem), .refused(let problem): problem
    }
  }
}
