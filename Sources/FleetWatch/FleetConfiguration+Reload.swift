internal import FleetLogic
internal import Sinks
internal import Store
internal import WebServer

extension FleetConfiguration {
  /// What differs from the configuration that `run` was started with, and that it does not take over, one line each.
  func unheeded(by running: FleetConfiguration) -> [String] {
    var known = running.fleet
    known.publishes = fleet.publishes
    var lines: [String] = []
    if fleet != known { lines.append("[fleet] and [[rule]] take effect at the next start") }
    if store != running.store { lines.append("[store] takes effect at the next start") }
    if http != running.http { lines.append("[http] takes effect at the next start") }
    if sinks != running.sinks { lines.append("[[sink]] takes effect at the next start") }
    if waveforms != running.waveforms { lines.append("[waveform] takes effect at the next start") }
    return lines
  }
}
