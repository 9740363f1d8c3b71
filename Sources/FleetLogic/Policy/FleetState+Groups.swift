internal import Telemetry

/// A place that the configuration names, and the nodes that are there.
struct Site: Equatable, Sendable {
  var name: String
  /// Its nodes, as far as they were ever heard of.
  var size = 0
  /// Of which so many are active: rule by rule.
  var active: [Int: Int] = [:]
}

/// Alerts of several nodes of one site, told as one: what is down is the site.
extension FleetState {
  /// The place of a site, which is made when it is new.
  mutating func site(_ name: String) -> Int {
    if let index = sites.firstIndex(where: { $0.name == name }) { return index }
    sites.append(Site(name: name))
    return sites.count - 1
  }

  private func grouping(of key: AlertKey) -> (site: Int, settings: Rule.Grouping)? {
    guard let index = key.node, let site = nodes[index].site, let settings = configuration.rules[key.rule].grouping
    else { return nil }
    return (site, settings)
  }

  /// Counts a node whose condition began or ceased to hold.
  mutating func noteMember(_ key: AlertKey, joins: Bool) {
    guard let (site, _) = grouping(of: key) else { return }
    sites[site].active[key.rule, default: 0] += joins ? 1 : -1
  }

  /// Looks whether a site's nodes are to be told as one, after one of them changed.
  mutating func judgeGroup(of key: AlertKey, at moment: Moment) {
    guard let (site, settings) = grouping(of: key) else { return }
    let group = AlertKey(rule: key.rule, place: .site(site))
    let active = sites[site].active[key.rule] ?? 0
    let needed = settings.needed(of: sites[site].size)
    let isGrouped = records[group]?.life.isFiring ?? false
    if active >= needed {
      observe(group, .holds(after: 0), "\(active) of \(sites[site].size) nodes there are concerned", at: moment) {
        $0.life.count = max($0.life.count, active)
        $0.value = Double(active)
      }
    } else if isGrouped, active * 2 < needed {
      observe(
        group, .clears(after: 0), "only \(active) of \(sites[site].size) nodes there are still concerned", at: moment)
    }
    if isGrouped != (records[group]?.life.isFiring ?? false) { isPolicyStale = true }
  }

  /// Why an alert is told with others, or may be in a moment.
  func groupMute(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Mute? {
    guard let (site, settings) = grouping(of: key) else { return nil }
    let name = sites[site].name
    if records[AlertKey(rule: key.rule, place: .site(site))]?.life.isFiring == true {
      return Mute(.grouped, "it is told as one with the others of the site \(name)")
    }
    guard !record.notice.isTold, sites[site].size >= settings.leastNodes, let due = groupDue(key, record),
      moment.instant < due
    else { return nil }
    return Mute(.waiting, "others of the site \(name) may follow within \(plain(settings.waitS)) s")
  }

  /// Until when others are waited for; nil: nobody is.
  func groupDue(_ key: AlertKey, _ record: AlertRecord) -> Instant? {
    guard !record.notice.isTold, record.life.isFiring, let fired = record.notice.fired,
      let (_, settings) = grouping(of: key), settings.waitS > 0
    else { return nil }
    return fired + settings.waitS
  }
}
