internal import Glibc

/// Events of another owner, that is of the name that this node had before: kept whole, and never fetched.
public struct SpoolAside: Equatable, Sendable {
  /// Whose they are.
  public var owner: String
  /// Where they lie within the spool's folder; a spool by itself.
  public var folder: String
  /// How many.
  public var events: Int

  /// - Parameters: as the properties.
  public init(owner: String, folder: String, events: Int) {
    self.owner = owner
    self.folder = folder
    self.events = events
  }
}

/// A node's name is part of every topic: what was kept under another one must not go out under this one.
///
/// One folder may be set aside at a time, so that a name that changes with each start does not fill the disk.
extension SpoolCore {
  func isOthers(_ state: SavedState) -> Bool { !owner.isEmpty && !state.owner.isEmpty && state.owner != owner }

  /// Moves everything of another owner out of the way, and answers what is left: nothing but the highest numbers.
  ///
  /// First the state says where it goes, then the segments go, then a copy of the state. The folder has the state until
  /// the new owner's replaces it, so that a start that finds this half done goes on with it.
  mutating func part(
    from state: SavedState, _ recovery: Recovery, _ names: [SegmentName]
  ) throws(DiskFailure) -> (SavedState, Recovery) {
    var fresh = SavedState()
    fresh.ordinal = max(state.ordinal, names.map(\.ordinal).max() ?? 0)
    fresh.segment = max(state.segment, names.map(\.number).max() ?? 0)
    fresh.fleetAcknowledges = state.fleetAcknowledges || recovery.fleetAcknowledges
    let events = recovery.segments.reduce(0) { $0 + $1.live.events }
    let folder = "other-\(state.owner)-\(hexadecimal(state.ordinal))"
    let isBegun = state.aside?.folder == folder
    // What could not be read, and what was not told yet, is the other one's, too.
    if events > 0 || isBegun || !recovery.losses.isEmpty || !state.notes.isEmpty {
      if !isBegun, stillAside(state) != nil { throw DiskFailure(call: "owner", code: EEXIST, name: state.owner) }
      let aside = isBegun ? state.aside : SpoolAside(owner: state.owner, folder: folder, events: events)
      var marked = state
      marked.aside = aside
      try replace(with: marked.encoded)
      for name in Set(names) { try disk.rename(name.text, to: "\(folder)/\(name.text)") }
      try copy(marked, to: "\(folder)/\(SavedState.file)")
      try syncFolder()
      fresh.aside = aside
    } else {
      fresh.aside = state.aside
      for name in Set(names) { try disk.unlink(name.text) }
    }
    hasRemovals = true
    let nothing = try Recovery([], fresh) { _, _ throws(DiskFailure) in [] }
    return (fresh, nothing)
  }

  private func copy(_ state: SavedState, to name: String) throws(DiskFailure) {
    // A start that ended here may have left one.
    try? disk.unlink(name)
    let file = try disk.create(name)
    defer { disk.close(file) }
    try disk.append(state.encoded, to: file)
    try disk.sync(file)
  }

  /// What was set aside, unless somebody has taken it away since.
  func stillAside(_ state: SavedState) -> SpoolAside? {
    state.aside.flatMap { aside in (try? disk.list(aside.folder))?.isEmpty ?? false ? nil : aside }
  }
}
