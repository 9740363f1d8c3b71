internal import BrokerLink
internal import Daemon
internal import NodeLogic
internal import Spool

/// Where events are kept, and how many.
struct SpoolSettings: Equatable {
  var directory: String
  var limits: SpoolLimits

  /// Nil: nothing is kept on a disk.
  ///
  /// The folder is the one that is configured, or `spool` in the first one that systemd gives this service for its
  /// state; see systemd.exec(5).
  init?(_ configuration: Configuration, _ environment: [String: String]) {
    if let directory = configuration.optionalText("spool.directory") {
      guard !directory.isEmpty else { return nil }
      self.directory = directory
    } else {
      guard let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
      directory = "\(folder)/spool"
    }
    let capHours = configuration.number("spool.cap_h")
    limits = SpoolLimits(
      capBytes: Int(configuration.number("spool.cap_mb") * 1_000_000), capAgeS: capHours > 0 ? capHours * 3600 : nil)
  }

  static let section = ConfigurationSection(
    "spool", summary: "Events that wait until they are delivered.",
    [
      .text(
        "directory", note: "spool in systemd's state directory, without one memory alone",
        "Folder that keeps events over restarts and power cuts. Empty: events wait in memory alone."),
      .number(
        "cap_mb", 0.1...1024, unit: "MB", default: 32,
        "Room for events on the disk. When it is full, waveforms go first, then locations and orientation, then the "
          + "rest, oldest first, and a message says which. 32 MB hold some 90 000 events: 300 days of a node that "
          + "stands and says where it is every 5 min, 6 days of one that drives 8 h a day with "
          + "location.distance_filter_m at 25. health.spool.lasts_s says it at the present rate."),
      .number(
        "cap_h", 0...87_600, unit: "h", default: 0, "Events that are older are given up. 0: none for its age."),
      .number(
        "memory_mb", 0.01...1024, unit: "MB", default: 1,
        "Room for events that are in memory alone, where there is no disk or it takes nothing. 1 MB holds about 2500."),
      .choice(
        "delivery", OutboxSettings.Delivery.allCases.map(\.rawValue),
        default: OutboxSettings.Delivery.auto.rawValue,
        "When an event is no longer kept. broker: when the broker acknowledged it, and somebody subscribes to it. "
          + "fleet: when judder-fleet has stored it. auto: as broker, until judder-fleet has acknowledged this node "
          + "once, and as fleet from then on."),
    ])
}

extension OutboxSettings {
  init(_ configuration: Configuration, _ spool: SpoolSettings?) {
    self.init()
    delivery = Delivery(rawValue: configuration.text("spool.delivery")) ?? .auto
    memoryBytes = Int(configuration.number("spool.memory_mb") * 1_000_000)
    hasSpool = spool != nil
    if let spool { spoolBytes = spool.limits.capBytes }
  }
}
