/// A script for `judder-node simulate`, and the alerts that follow from it.
struct CrowdScenario {
  enum Action {
    case shake, burst, impact, tip
    case loseFix(String)
    case regainFix, driveAway, driveHome
    case die, hang, leave, comeBack, reboot
    case backlog(forS: Double)
    case mark
  }

  struct Step {
    let atS: Double
    let nodes: ClosedRange<Int>
    let action: Action

    init(_ atS: Double, _ nodes: ClosedRange<Int>, _ action: Action) {
      self.atS = atS
      self.nodes = nodes
      self.action = action
    }
  }

  /// Whom an alert is about.
  struct Key: Hashable, Comparable, CustomStringConvertible {
    let rule: String
    let node: String

    var description: String { "\(rule)/\(node)" }
    static func < (a: Key, b: Key) -> Bool { (a.rule, a.node) < (b.rule, b.node) }
  }

  let steps: [Step]

  /// As the program reads it.
  var script: String {
    steps.map { step in
      """
      [[step]]
      at_s = \(step.atS)
      nodes = "\(step.nodes.lowerBound)-\(step.nodes.upperBound)"
      \(step.action.keys)

      """
    }.joined()
  }

  /// For each rule and node the states that are told, in their order.
  ///
  /// - Parameter name: of a node by its number.
  func alerts(name: (Int) -> String) -> [Key: [String]] {
    var told: [Key: [String]] = [:]
    for step in steps {
      for node in step.nodes {
        for (rule, state) in step.action.states {
          let key = Key(rule: rule, node: name(node))
          // Who was never away is not back.
          if state == ["resolved"], told[key]?.last != "firing" { continue }
          told[key, default: []] += state
        }
      }
    }
    return told
  }
}

extension CrowdScenario.Action {
  fileprivate var keys: String {
    switch self {
    case .shake: "action = \"shake\""
    case .burst: "action = \"burst\"\ncount = 3\nfor_s = 4.5"
    case .impact: "action = \"impact\""
    case .tip: "action = \"tip\"\nface = \"x+\""
    case .loseFix(let reason): "action = \"lose-fix\"\nreason = \"\(reason)\""
    case .regainFix: "action = \"regain-fix\""
    case .driveAway: "action = \"move\"\neast_m = 250\nnorth_m = 0\nspeed_mps = 14"
    case .driveHome: "action = \"move\"\neast_m = 0\nnorth_m = 0\nspeed_mps = 14"
    case .die: "action = \"die\""
    case .hang: "action = \"hang\""
    case .leave: "action = \"leave\""
    case .comeBack: "action = \"return\""
    case .reboot: "action = \"reboot\""
    case .backlog(let forS): "action = \"backlog\"\nfor_s = \(forS)"
    case .mark: "action = \"mark\""
    }
  }

  /// What the rules make of it, where each has its time before the next of the same kind.
  fileprivate var states: [(rule: String, [String])] {
    switch self {
    // The shakes of a burst follow each other before the alert could resolve.
    case .shake, .burst: [("shake", ["firing", "resolved"])]
    case .loseFix: [("lost-fix", ["firing"])]
    case .regainFix: [("lost-fix", ["resolved"])]
    case .die, .hang: [("silent", ["firing"])]
    case .comeBack: [("silent", ["resolved"])]
    case .driveAway: [("geofence", ["firing"])]
    case .driveHome: [("geofence", ["resolved"])]
    case .impact, .tip, .leave, .reboot, .backlog, .mark: []
    }
  }
}
