internal import Daemon
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
/// by their `resolve_timeout`. One that does not answer is left out for a while, as long as another takes everything.
///
/// `@unchecked Sendable`: used by the sink's thread alone.
final class AlertmanagerCourier: Courier, @unchecked Sendable {
  /// The first wait for one that does not answer, at the most [s].
  private static let retryFirstS = 5.0

  private let settings: AlertmanagerSettings
  /// Of each, what it did last, and when it is asked again.
  private var troubles: [String?]
  private var paces: [DeliveryPace]

  init(_ settings: AlertmanagerSettings) {
    self.settings = settings
    troubles = settings.urls.map { _ in nil }
    let pace = DeliveryPace.Settings(
      retryFirstS: min(Self.retryFirstS, settings.resendS), retryMaxS: settings.resendS)
    paces = settings.urls.map { _ in DeliveryPace(pace) }
  }

  var batch: Int { 64 }
  var resendS: Double? { settings.resendS }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome {
    let body = Self.body(notices)
    var outcomes: [Int: CourierOutcome] = [:]
    let now = MonotonicClock.process.now()
    let due = paces.map { $0.due(waitingSince: now) }
    // Who took everything last time comes first; who is left out is asked only where nobody else takes it.
    let places =
      settings.urls.indices.filter { troubles[$0] == nil } + settings.urls.indices.filter { troubles[$0] != nil }
    for place in places.filter({ due[$0] <= now }) + places.filter({ due[$0] > now }) {
      if due[place] > now, outcomes.values.contains(.done) { break }
      let outcome = ask(place, body, errand)
      outcomes[place] = outcome
      if outcome == .stopped { break }
    }
    note(outcomes, errand)
    if outcomes.values.contains(.done) { return .done }
    // One that is away may take what another refuses.
    let all = places.compactMap { outcomes[$0] }
    let later = all.first { if case .refused = $0 { false } else { true } }
    return later ?? all.first ?? .done
  }

  private func ask(_ place: Int, _ body: [UInt8], _ errand: any Errand) -> CourierOutcome {
    let url = settings.urls[place]
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    let outcome = HTTPRequest("\(base)/api/v2/alerts", settings.http, body: body).run(errand).outcome(shownPlace(url))
    switch outcome {
    case .done, .failed, .refused: paces[place].settle()
    case .stopped: break
    case .later(_, let afterS):
      let now = MonotonicClock.process.now()
      _ = paces[place].fail(counts: false, afterS: afterS, at: now, random: Double.random(in: 0..<1))
    }
    return outcome
  }

  /// One of several that fails is worth a line, though nothing is lost.
  private func note(_ outcomes: [Int: CourierOutcome], _ errand: any Errand) {
    for (place, outcome) in outcomes.sorted(by: { $0.key < $1.key }) where outcome != .stopped {
      let trouble = outcome.problem?.description
      if trouble != troubles[place], outcomes.values.contains(.done), let trouble {
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
