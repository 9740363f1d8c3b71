internal import Telemetry

/// What a node said about its own condition, and what was counted of its messages.
extension NodeReport {
  var health: [Part] {
    guard let health = node.health else { return [("health", "nothing said")] }
    let content = health.content
    var parts: [Part] = [("health", "of \(ago(health.stamp))\(usage(content))")]
    if let sensor = content.accelerometer { parts.append(("samples", text(sensor))) }
    if let gps = content.gps { parts.append(("gps", text(gps))) }
    parts.append(("spool", text(content.spool)))
    let link = content.link
    parts.append(
      (
        "link",
        "made \(link.connects) times, \(link.unacknowledged) unacknowledged, \(link.dropped) dropped, "
          + "\(link.refused) refused"
      ))
    if let budget = content.budget {
      parts.append(
        ("budget", "\(number(budget.usedMB)) of \(number(budget.limitMB)) MB, windows times \(number(budget.stretch))"))
    }
    return parts
  }

  private func usage(_ health: HealthMessage) -> String {
    let memory = health.residentKB.map { ", memory \($0) kB" } ?? ""
    return memory + (health.processorS.map { ", processor \(number($0)) s" } ?? "")
  }

  private func text(_ sensor: HealthMessage.Accelerometer) -> String {
    var parts = [sensor.state.rawValue]
    if let rate = sensor.rateHz { parts.append("\(number(rate)) Hz") }
    if let noise = sensor.noiseMg { parts.append("noise \(number(noise, 2)) mg") }
    if sensor.gaps > 0 { parts.append("\(sensor.gaps) gaps") }
    if sensor.dropped > 0 { parts.append("\(sensor.dropped) dropped") }
    if let reason = words(sensor.polling) { parts.append("polled: \(reason)") }
    if let error = words(sensor.error) { parts.append(error) }
    if let faults = sensor.faults {
      let counts = [
        (faults.retried, "retried"), (faults.stalls, "stalls"), (faults.zeros, "zeros"), (faults.frozen, "frozen"),
        (faults.outOfRange, "out of range"),
      ]
      parts += counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }
    return parts.joined(separator: ", ")
  }

  private func text(_ gps: HealthMessage.GPS) -> String {
    var parts = [gps.state.rawValue]
    if let satellites = gps.satellites { parts.append("\(satellites) satellites") }
    if let age = gps.ageS { parts.append("fix \(Age.text(age)) old") }
    if gps.rejected > 0 { parts.append("\(gps.rejected) rejected") }
    if let withheld = gps.withheld, withheld > 0 { parts.append("\(withheld) withheld") }
    if gps.badLines > 0 { parts.append("\(gps.badLines) bad lines") }
    return parts.joined(separator: ", ")
  }

  private func text(_ spool: HealthMessage.Spool) -> String {
    var parts = ["\(spool.events) events, \(spool.bytes) bytes"]
    if let oldest = spool.oldestS { parts.append("oldest \(Age.text(oldest))") }
    if let state = spool.state { parts.append("in \(state == .disk ? "the disk" : "memory only")") }
    if let delivery = spool.delivery { parts.append("until the \(delivery.rawValue)'s word") }
    if let lasts = spool.lastsS { parts.append("room for \(Age.phrase(lasts))") }
    let counts = [
      (spool.evicted, "evicted"), (spool.unconfirmed ?? 0, "unconfirmed"), (spool.unsaved ?? 0, "unsaved"),
      (spool.setAside ?? 0, "set aside"), (spool.damaged ?? 0, "damaged"),
    ]
    parts += counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if let trouble = words(spool.trouble) { parts.append(trouble) }
    return parts.joined(separator: ", ")
  }

  var messages: String {
    let counts = Stream.allCases.compactMap { stream in
      node.counts[stream].map { "\($0) \(stream.rawValue)" }
    }
    return counts.isEmpty ? "none" : counts.joined(separator: ", ")
  }

  /// What went wrong on the way, as far as it was counted.
  var oddities: String {
    var counts = [
      (node.wills, "wills"), (node.flaps, "flaps"), (node.duplicates, "duplicates"), (node.late, "late"),
      (node.stale, "of former boots"), (Int(clamping: node.missing), "missing"), (node.conflicts, "conflicts"),
      (node.replays, "replays"), (node.interleavings, "interleavings"), (node.damages, "damages"),
    ]
    counts += node.evicted.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      ($0.value, "evicted (\($0.key.rawValue))")
    }
    let shown = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let clone = node.isSuspectedClone ? ["two devices may use this name"] : []
    return shown.isEmpty && clone.isEmpty ? "none" : (shown + clone).joined(separator: ", ")
  }
}
