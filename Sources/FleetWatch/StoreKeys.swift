internal import Daemon
internal import Store

// What the configuration says about the store.
extension StoreSettings {
  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "store",
    summary:
      "Where run keeps every event. Only what is kept is acknowledged to the nodes. watch keeps nothing.",
    [
      .path(
        "file", note: "fleet.db in systemd's STATE_DIRECTORY; without that nothing is kept",
        "The database, SQLite. Its folder must be there."),
      .number("keep_days", 0.01...36_500, unit: "d", default: 90, "Events that came longer ago are given up."),
      .number(
        "cap_mb", 1...1_000_000, unit: "MB", default: 1024,
        "The database does not grow beyond this. Given up are locations, orientations and waveforms that are a day "
          + "old, then anything, each time the oldest."),
    ])

  /// Nil: there is no file for it.
  init?(_ configuration: Configuration, environment: [String: String]) {
    guard let file = StoreSettings.file(configuration, environment) else { return nil }
    self.init(
      file: file, keepDays: configuration.number("store.keep_days"), capMB: configuration.number("store.cap_mb"))
  }

  /// As configured, or in the first folder that systemd gives this service for its state; see systemd.exec(5).
  static func file(_ configuration: Configuration, _ environment: [String: String]) -> String? {
    if let file = configuration.optionalText("store.file") { return file }
    return environment["STATE_DIRECTORY"]?.split(separator: ":").first.map { "\($0)/fleet.db" }
  }

  /// Why nothing is kept, where there is no file.
  static let absence =
    "nothing is kept over a restart, and no node is told that its events are stored: store.file is not set, and "
    + "STATE_DIRECTORY, where it would go, neither"
}
