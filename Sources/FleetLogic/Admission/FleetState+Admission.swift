internal import Telemetry

/// Who is taken in, and what becomes of the others: nothing of theirs is stored, acknowledged or told, and all of it is
/// counted.
extension FleetState {
  /// Between two lines in the log [s]; between two notes in the store [s].
  private static let refusalLineS = 600.0, quarantineNoteS = 300.0

  /// Why a node is not taken in; nil: it is known, or may be. Those that the configuration speaks of have room in any
  /// case.
  func refusal(of name: NodeName) -> Rejection? {
    if indices[name] != nil || configuration.labels[name] != nil { return nil }
    guard configuration.admission.admits(name) else { return .notListed }
    return nodes.count < configuration.maxNodes ? nil : .tooManyNodes
  }

  /// Whether a node may ever be taken in.
  func isAdmitted(_ name: NodeName) -> Bool {
    configuration.labels[name] != nil || configuration.admission.admits(name)
  }

  /// Counts a message of a node that is not taken in.
  mutating func refuse(_ topic: Topic, _ reason: Rejection, at moment: Moment) {
    tally.rejected[reason, default: 0] += 1
    quarantine.note(topic.node, reason, at: moment)
    keepQuarantine(at: moment)
    if let said = quarantine.said, moment.instant - said < Self.refusalLineS { return }
    quarantine.said = moment.instant
    let why =
      reason == .notListed
      ? "the node is not listed (fleet.admit): fleet.allow or [node.\"\(topic.node)\"] would take it in"
      : "\(configuration.maxNodes) nodes are known already (fleet.max_nodes)"
    let sum = "\(quarantine.messages) messages of about \(quarantine.nodes) nodes were not taken in since the start"
    log(.warning, "not used, \(reason): \(topic): \(why); \(sum)")
  }

  /// Has the quarantine kept, at once at first and then now and then.
  mutating func keepQuarantine(at moment: Moment, isStopping: Bool = false) {
    guard configuration.keeps, quarantine.messages > quarantine.keptMessages else { return }
    if !isStopping, let kept = quarantine.kept, moment.instant - kept < Self.quarantineNoteS { return }
    quarantine.kept = moment.instant
    quarantine.keptMessages = quarantine.messages
    let note = QuarantineNote(quarantine, at: moment.wall)
    effects.append(.keep(.note(KeptText(key: QuarantineNote.key, text: note.encode()))))
  }
}
