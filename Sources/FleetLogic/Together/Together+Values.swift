public import Telemetry

extension Together {
  /// Where a node is.
  public struct Place: Equatable, Sendable {
    /// WGS 84 [deg], north positive.
    public var latitude: Double
    /// WGS 84 [deg], east positive.
    public var longitude: Double
    /// How far off it may be [m]; nil when the node did not say.
    public var accuracyM: Double?

    /// Nil unless both are finite and on the globe.
    public init?(latitude: Double, longitude: Double, accuracyM: Double? = nil) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
      self.latitude = latitude
      self.longitude = longitude
      self.accuracyM = accuracyM
    }
  }

  /// A node that could take part.
  public struct Participant: Equatable, Sendable {
    /// Whatever the caller counts nodes with.
    public var node: Int
    /// For sentences, and to find the node again after a restart.
    public var name: NodeName
    /// Nil while nobody knows.
    public var place: Place?
    /// The label of its site; nil without one. A node without a place joins only nodes of the same site.
    public var site: String?

    /// A node and where it is.
    public init(node: Int, name: NodeName, place: Place? = nil, site: String? = nil) {
      self.node = node
      self.name = name
      self.place = place
      self.site = site
    }
  }

  /// That a shake began.
  public struct Shake: Equatable, Sendable {
    /// Who shook, and where it was.
    public var participant: Participant
    /// The first swing, by the node's clock, repaired where a better clock of its run is known.
    public var start: WallTime
    /// What vouches for `start`.
    public var clock: ClockQuality
    /// How far off `start` may be [s]; nil when nobody knows, which for a trusted clock is within the slack.
    public var uncertaintyS: Double?
    /// The largest acceleration so far [g]; nil when unknown.
    public var peakG: Double?

    /// A shake's beginning.
    public init(
      _ participant: Participant, start: WallTime, clock: ClockQuality, uncertaintyS: Double? = nil,
      peakG: Double? = nil
    ) {
      self.participant = participant
      self.start = start
      self.clock = clock
      self.uncertaintyS = uncertaintyS
      self.peakG = peakG
    }
  }

  /// What shook the nodes.
  public enum Kind: String, CaseIterable, Sendable {
    /// All within one place: a machine, a vehicle, a building.
    case local
    /// Too many over too far at once for a wave: power, clocks, firmware.
    case commonCause = "common-cause"
    /// A wave could have gone from one to the next.
    case groundMotion = "ground-motion"
  }

  /// What is told of several nodes that shook together.
  public struct Finding: Equatable, Sendable {
    /// What happened to it.
    public enum State: String, CaseIterable, Sendable {
      case began, grew, ended
    }

    /// One of the nodes.
    public struct Member: Equatable, Sendable {
      /// As in `Participant`.
      public var node: Int
      public var name: NodeName
      /// The start of its shake by its own clock.
      public var start: WallTime
      /// As in `Shake`.
      public var peakG: Double?
    }

    /// Counts from 1, and on after a restart.
    public var id: Int
    public var kind: Kind
    public var state: State
    /// By start, each node once.
    public var members: [Member]
    /// From the first start to the last [s].
    public var spanS: Double
    /// The middle of the nodes' places; nil when none is known. Not an epicentre.
    public var centre: Place?
    /// Between the two nodes furthest apart [m]; nil when no place is known.
    public var extentM: Double?
    /// Nodes that were needed where it began.
    public var needed: Int
    /// One sentence: what was seen, what was needed and why.
    public var reason: String

    /// The largest acceleration of any [g]; nil when unknown.
    public var peakG: Double? { members.compactMap(\.peakG).max() }
  }

  /// Why several nodes that shook close to each other were no finding.
  public struct Refusal: Equatable, Sendable {
    /// The first of them.
    public var name: NodeName
    /// When it shook.
    public var start: WallTime
    /// One sentence.
    public var reason: String
  }

  /// What was taken and what was left out.
  public struct Tally: Equatable, Sendable {
    /// Shakes that took part.
    public var taken = 0
    /// The same shake again.
    public var duplicate = 0
    /// It came later than `Settings.horizonS` after its start.
    public var late = 0
    /// It starts in the future of the fleet tool's clock.
    public var ahead = 0
    /// Nothing vouches for its time, or not well enough.
    public var untrustedClock = 0
    /// The node has neither a place nor a site.
    public var placeless = 0
    /// There was no room for it or its node.
    public var overflow = 0

    /// Nothing counted.
    public init() {}
  }
}
