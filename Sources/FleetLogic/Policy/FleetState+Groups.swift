internal import Telemetry

/// A place that the configuration names, and the nodes that are there.
struct Site: Equatable, Sendable {
  var name: String
  /// Its nodes, as far as they were ever heard of, by place.
  var nodes: [Int] = []
  /// Of which so many are active, and so many of these fire: rule by rule.
  var active: [Int: Int] = [:], firing: [Int: Int] = [:]

  var size: Int { nodes.count }
}

/// Alerts of several nodes of one site, told as one: what is down is the site.
extension FleetState {
  /// The place of a site, which is made when it is new.
  mutating func site(_ name: String) -> Int {
    if let index = siteIndices[name] { return index }
    siteIndices[name] = sites.count
    sites.append(Site(name: name))
    return sites.count - 1
  }

  private func grouping(of key: AlertKey) -> (site: Int, settings: Rule.Grouping)? {
    guard let index = key.node, let site = nodes[index].site, let settings = configuration.rules[key.rule].grouping
    else { return nil }
    return (site, settings)
  }

  /// Counts a node whose condition began or ceased to hold, or to fire.
  mutating func noteMember(_ key: AlertKey, _ before: AlertRecord?, _ record: AlertRecord) {
    let isQuiet = before?.isQuiet ?? true
    let isFiring = before?.life.isFiring ?? false
    guard isQuiet != record.isQuiet || isFiring != record.life.isFiring, let (site, _) = grouping(of: key) else {
      return
    }
    if isQuiet != record.isQuiet { sites[site].active[key.rule, default: 0] += isQuiet ? 1 : -1 }
    if isFiring != record.life.isFiring { sites[site].firing[key.rule, default: 0] += isFiring ? -1 : 1 }
  }

  /// Looks whether a site's nodes are to be told as one, after one of them changed.
  mutating func judgeGroup(of key: AlertKey, at moment: Moment) {
    guard let (site, settings) = grouping(of: key) else { return }
    judgeGroup(rule: key.rule, site, settings, at: moment)
  }

  /// Looks at all groups, after it changed which nodes anybody is told of.
  mutating func judgeGroups(at moment: Moment) {
    for site in sites.indices {
      for rule in sites[site].active.keys.sorted() {
        guard let settings = configuration.rules[rule].grouping else { continue }
        judgeGroup(rule: rule, site, settings, at: moment)
      }
    }
  }

  private mutating func judgeGroup(rule: Int, _ site: Int, _ settings: Rule.Grouping, at moment: Moment) {
    let group = AlertKey(rule: rule, place: .site(site))
    let isGrouped = isFiring(group)
    // One that fires ends with its nodes' trouble, not when somebody silences them.
    let (concerned, firing) =
      isGrouped ? (sites[site].active[rule] ?? 0, 1) : concerned(rule, site, at: moment)
    let needed = settings.needed(of: sites[site].size)
    let count = "\(concerned) of \(sites[site].size) nodes there are"
    // While all of them may still come back in time, it is nobody's trouble.
    if concerned >= needed, isGrouped || firing > 0 {
      observe(group, .holds(after: 0), "\(count) concerned", at: moment) {
        $0.life.count = max($0.life.count, concerned)
        $0.value = Double(concerned)
      }
    } else if isGrouped, concerned * 2 < needed {
      observe(group, .clears(after: 0), "only \(count) still concerned", at: moment)
    }
    if isGrouped != isFiring(group) { restless.formUnion(members(rule, site)) }
  }

  func isFiring(_ key: AlertKey) -> Bool { records[key]?.life.isFiring ?? false }

  private func members(_ rule: Int, _ site: Int) -> [AlertKey] {
    sites[site].nodes.map { AlertKey(rule: rule, node: $0) }.filter { records[$0] != nil }
  }

  /// How many nodes of a site the rule has something to say of, and how many of them it fires for. One that is
  /// silenced or under maintenance is none of the site's trouble.
  private func concerned(_ rule: Int, _ site: Int, at moment: Moment) -> (active: Int, firing: Int) {
    let active = (sites[site].active[rule] ?? 0, sites[site].firing[rule] ?? 0)
    guard active.0 > 0, !silences.isEmpty || configuration.windows.contains(where: { $0.maintenance != nil }) else {
      return active
    }
    let concerned = members(rule, site).filter { key in
      records[key]?.isQuiet == false && exemption(key, at: moment) == nil
    }
    return (concerned.count, concerned.count(where: isFiring))
  }

  /// Why an alert is told with others, or may be in a moment.
  func groupMute(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Mute? {
    guard let (site, settings) = grouping(of: key) else { return nil }
    let name = sites[site].name
    if isFiring(AlertKey(rule: key.rule, place: .site(site))) {
      return Mute(.grouped, "it is told as one with the others of the site \(name)")
    }
    guard sites[site].size >= settings.leastNodes, let due = groupDue(key, record), moment.instant < due else {
      return nil
    }
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
