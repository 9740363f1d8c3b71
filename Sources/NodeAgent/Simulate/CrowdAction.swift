internal import Daemon
internal import NodeLogic
internal import Telemetry

/// What a step of a script does to a node.
enum CrowdAction: Equatable {
  case order(ScriptedOrder)
  /// Its connection breaks without a word, and it is gone.
  case die
  /// It says nothing more, and its connection stays.
  case hang
  /// It is stopped in order.
  case leave
  /// It is back after any of these: a hung one goes on, others start anew.
  case comeBack
  /// It dies, and starts anew at once.
  case reboot
  /// It has no connection for so long [s], and keeps what it measures.
  case backlog(forS: Double)
  /// Nothing but a line in the log, for whoever waits for it.
  case mark
}

extension CrowdAction {
  /// What an action needs of a step's keys, and what it may have.
  struct Word {
    var word: String
    var needs: [String] = []
    var takes: [String] = []
  }

  static let words = [
    Word(word: "shake", takes: ["peak_g", "for_s"]),
    Word(word: "burst", needs: ["count", "for_s"], takes: ["peak_g"]),
    Word(word: "impact", takes: ["peak_g"]),
    Word(word: "tip", needs: ["face"]),
    Word(word: "lose-fix", takes: ["reason"]),
    Word(word: "regain-fix"),
    Word(word: "move", needs: ["east_m", "north_m"], takes: ["speed_mps"]),
    Word(word: "teleport", needs: ["east_m", "north_m"]),
    Word(word: "clock", takes: ["offset_s"]),
    Word(word: "die"),
    Word(word: "hang"),
    Word(word: "leave"),
    Word(word: "return"),
    Word(word: "reboot"),
    Word(word: "backlog", needs: ["for_s"]),
    Word(word: "mark"),
  ]

  static let summary =
    "shake: to and fro. burst: count shakes within for_s. impact: a blow. tip: another side comes up. lose-fix, "
    + "regain-fix: the position. move: drive there. teleport: the receiver says so at once. clock: the system clock "
    + "is wrong. die: gone, the connection cut without a word. hang: silent, the connection open. leave: stopped in "
    + "order. return: there again. reboot: dead, and there again at once with a new boot. backlog: without a "
    + "connection for for_s, what was measured comes late. mark: a line in the log."

  /// The keys that only some actions have.
  private static let ownKeys = [
    "peak_g", "for_s", "count", "reason", "east_m", "north_m", "speed_mps", "face", "offset_s",
  ]

  /// - Throws: what is missing in a step, and what does not belong there.
  init(_ row: ConfigurationTable) throws(ConfigurationFailure) {
    let word = row.text("action")
    guard let known = CrowdAction.words.first(where: { $0.word == word }) else { preconditionFailure("a checked word") }
    var problems = known.needs.filter { !row.isSet($0) }.map { row.problem($0, "is not set, and \(word) needs it") }
    for key in CrowdAction.ownKeys where row.isSet(key) && !(known.needs + known.takes).contains(key) {
      problems.append(row.problem(key, "means nothing for \(word); remove it"))
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    self = CrowdAction(word, row)
  }

  /// From keys that are there and in range.
  private init(_ word: String, _ row: ConfigurationTable) {
    switch word {
    case "die": self = .die
    case "hang": self = .hang
    case "leave": self = .leave
    case "return": self = .comeBack
    case "reboot": self = .reboot
    case "mark": self = .mark
    case "backlog": self = .backlog(forS: row.optionalNumber("for_s") ?? 0)
    default: self = .order(ScriptedOrder(word, row))
    }
  }
}

extension ScriptedOrder {
  fileprivate init(_ word: String, _ row: ConfigurationTable) {
    let eastM = row.optionalNumber("east_m") ?? 0
    let northM = row.optionalNumber("north_m") ?? 0
    let peakG = row.optionalNumber("peak_g")
    switch word {
    case "burst":
      self = .burst(
        count: row.optionalInteger("count") ?? 1, withinS: row.optionalNumber("for_s") ?? 1, peakG: peakG ?? 2)
    case "impact": self = .strike(peakG: peakG ?? 8)
    case "tip": self = .tip(row.optionalText("face").flatMap { Face(rawValue: $0) } ?? .unknown)
    case "lose-fix":
      self = .loseFix(row.optionalText("reason").flatMap { LocationMessage.Loss.Reason(rawValue: $0) } ?? .noFix)
    case "regain-fix": self = .regainFix
    case "move": self = .move(eastM: eastM, northM: northM, speedMPS: row.optionalNumber("speed_mps") ?? 10)
    case "teleport": self = .teleport(eastM: eastM, northM: northM)
    case "clock": self = .clock(ScriptedClock(offsetS: row.optionalNumber("offset_s")))
    default: self = .shake(peakG: peakG ?? 2, forS: row.optionalNumber("for_s") ?? 0.8)
    }
  }
}

extension ScriptedClock {
  fileprivate init(offsetS: Double?) {
    switch offsetS {
    case nil: self = .of1970
    case 0: self = .right
    case let seconds?: self = .off(seconds: seconds)
    }
  }
}
