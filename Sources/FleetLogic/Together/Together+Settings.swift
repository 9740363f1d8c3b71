extension Together {
  /// Every number of the association. Sources: docs/decisions/011-shook-together.md.
  public struct Settings: Equatable, Sendable {
    /// The slowest wave that is waited for [km/s], 0.1...10: below crustal S waves (some 3.5 km/s) and surface waves.
    public var speedKmS = 2.5
    /// What the pick of the start and the clocks may add to the way of the wave [s], 0.1...30. A node whose clock is
    /// known to be worse does not take part.
    public var slackS = 2.0
    /// Two nodes further apart never join each other directly [km], 1...2000.
    public var radiusKm = 200.0
    /// From the first to the last start of one finding [s], 1...600.
    public var spanS = 90.0
    /// Within this all is one place: a machine, a vehicle, a building [m], 1...5000.
    public var localM = 100.0
    /// Further than this no wave goes within `commonCauseS` [km], 1...2000; also the middle one of the three distances
    /// within which shakes are counted.
    public var commonCauseKm = 20.0
    /// A common cause (power, clocks, firmware) reaches all within this [s], 0.1...60.
    public var commonCauseS = 2.0
    /// The part of the nodes that must agree for a common cause, 0.5...1: below 1, so that one stranger hides it not.
    public var commonCauseShare = 0.9
    /// Fewer nodes than this never make a finding, 2...1000. OpenEEW's detection asks for four too.
    public var leastNodes = 4
    /// Findings by chance alone that are put up with, in the whole fleet [1/year], 0.001...1000.
    public var falsePerYear = 1.0
    /// A shake that arrives later than this after its start is counted and left out [s], 10...86400.
    public var horizonS = 300.0
    /// A finding that grows is told again no sooner than this after it was told [s], 0...600.
    public var growS = 5.0
    /// The time constant with which a node's rate of shakes is forgotten [s], 3600 and more.
    public var rateS = 7 * 86400.0
    /// A node watched for less than this counts as watched for this long with one shake more than it had [s]: a new
    /// node is taken for one that shakes every ten hours.
    public var unknownS = 36_000.0
    /// How often rates are brought up to date [s], 1...86400.
    public var recountS = 600.0
    /// Shakes held at the same time, and nodes known; what is more is counted and left out.
    public var mostShakes = 20_000
    /// See `mostShakes`.
    public var mostNodes = 20_000

    /// The defaults.
    public init() {}

    /// A shake is held for as long as anything that may still come can join it [s].
    var keepS: Double { spanS + horizonS }
  }
}
