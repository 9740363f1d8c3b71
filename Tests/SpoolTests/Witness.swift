import Testing

@testable import Spool

/// Knows what was promised, and complains when a run finds something else. Numbers are those of runs and events.
struct Witness {
  struct Event: Hashable {
    let boot: UInt32
    let sequence: UInt64
  }

  private(set) var appended: [Event: SpoolRecord] = [:]
  private(set) var stored: Set<Event> = []
  private(set) var released: Set<Event> = []
  /// Notes by their ids, as they were first heard of.
  private(set) var notes: [UInt64: EvictionNote] = [:]
  private(set) var givenUp: [Event: UInt64] = [:]
  private(set) var complaints: [String] = []

  mutating func append(_ record: SpoolRecord) {
    appended[Event(boot: record.boot, sequence: record.sequence)] = record
  }

  mutating func release(_ boot: UInt32, _ range: ClosedRange<UInt64>) {
    for sequence in range { released.insert(Event(boot: boot, sequence: sequence)) }
  }

  mutating func hear(stored sequences: Set<UInt64>, of boot: UInt32) {
    for sequence in sequences { stored.insert(Event(boot: boot, sequence: sequence)) }
  }

  /// Each note is exact: of events that there were, each in one note.
  mutating func hear(_ note: EvictionNote) {
    if let known = notes[note.id] {
      expect(known == note, "note \(note.id) was \(known) and is \(note)")
      return
    }
    notes[note.id] = note
    // A power cut that left a later sector and not an earlier one looks like damage; what was stored is never in it.
    if note.reason == .damaged { return expect(note.events == nil, "nobody counted \(note)") }
    expect(note.runs.count <= EvictionNote.runLimit, "\(note.runs.count) runs")
    let events = note.runs.flatMap { run in run.map { Event(boot: note.boot, sequence: $0) } }
    expect(events.count == note.events, "\(events.count) numbers, \(note.events ?? -1) events")
    var counts: [UInt8: Int] = [:]
    for event in events {
      expect(givenUp.updateValue(note.id, forKey: event) == nil, "\(event) was given up twice")
      guard let record = appended[event] else {
        complaints.append("\(event) was given up and never appended")
        continue
      }
      counts[record.kind, default: 0] += 1
    }
    expect(counts == note.counts, "counted \(counts), told \(note.counts)")
  }

  /// Holds what a run has found against what was promised.
  mutating func check(_ found: [SpoolRecord], _ contents: SpoolContents) {
    for note in contents.notes { hear(note) }
    expect(contents.damage.allSatisfy { $0.kind != .state }, "the state was never damaged: \(contents.damage)")
    var there: Set<Event> = []
    for record in found {
      let event = Event(boot: record.boot, sequence: record.sequence)
      expect(there.insert(event).inserted, "\(event) is there twice")
      expect(appended[event] == record, "\(event) is not what was appended")
      expect(givenUp[event] == nil, "\(event) was given up and is there")
    }
    for event in stored where !released.contains(event) && givenUp[event] == nil {
      expect(there.contains(event), "\(event) was stored and is lost")
    }
    checkNotes(there, contents)
  }

  /// What was given up is told by a record that is there or was released, or waits to be told; in full, however often
  /// what told it was given up itself.
  private mutating func checkNotes(_ there: Set<Event>, _ contents: SpoolContents) {
    var told: Set<UInt64> = []
    for note in contents.notes { told.formUnion(Witness.losses(in: note)) }
    for (event, record) in appended where record.note != nil {
      if there.contains(event) || released.contains(event) {
        told.formUnion(Witness.losses(in: record.payload))
      }
    }
    for id in notes.keys { expect(told.contains(id), "note \(id) is forgotten") }
    for (event, record) in appended where record.note == 0 && stored.contains(event) {
      expect(told.isSuperset(of: Witness.losses(in: record.payload)), "what \(event) told is forgotten")
    }
  }

  // MARK: What tells of losses

  /// What a record says that tells of a note, and of what those told that went with it: eight bytes for each.
  static func telling(of note: EvictionNote) -> [UInt8] {
    losses(in: note).sorted().flatMap { loss in withUnsafeBytes(of: loss.littleEndian, Array.init) }
  }

  static func losses(in payload: [UInt8]) -> Set<UInt64> {
    Set(
      stride(from: 0, to: payload.count - payload.count % 8, by: 8).map { start in
        payload[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      })
  }

  private static func losses(in note: EvictionNote) -> Set<UInt64> {
    note.tellings.reduce(into: [note.id]) { $0.formUnion(losses(in: $1)) }
  }

  private mutating func expect(_ holds: Bool, _ complaint: @autoclosure () -> String) {
    if !holds { complaints.append(complaint()) }
  }
}
