internal import Telemetry

/// Where a sink of the kind `webhook` sends its notices.
public struct WebhookSettings: Equatable, Sendable {
  /// Perhaps a secret: never shown whole.
  public var url: String
  /// How it is reached.
  public var http: HTTPSettings
  /// The body; nil: the alert's JSON.
  public var template: Template?

  public init(url: String, http: HTTPSettings = HTTPSettings(), template: Template? = nil) {
    self.url = url
    self.http = http
    self.template = template
  }
}

/// Sends each notice as one HTTP request.
///
/// `@unchecked Sendable`: used by the sink's thread alone.
final class WebhookCourier: Courier, @unchecked Sendable {
  private let settings: WebhookSettings
  private let place: String
  private let escaping: Template.Escaping

  init(_ settings: WebhookSettings) {
    self.settings = settings
    place = shownPlace(settings.url)
    escaping = Template.Escaping(contentType: settings.http.contentType)
  }

  func carry(_ notices: [Notice], _ errand: any Errand) -> CourierOutcome {
    guard let notice = notices.first else { return .done }
    var http = settings.http
    http.headers.append("Judder-Notice-ID: \(CommandCourier.plain(notice.id))")
    let body = settings.template?.fill(notice, escaping) ?? notice.json
    return HTTPRequest(settings.url, http, body: body).run(errand).outcome(place)
  }
}
