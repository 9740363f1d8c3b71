/// Reading events back.
extension SpoolCore {
  /// A record that is to be read.
  private struct Wanted {
    let segment: Int
    let sequence: UInt64
    let entry: Segment.Entry
  }

  mutating func fetch(_ fetch: SpoolFetch, _ atS: Double) {
    let wanted = choose(fetch)
    let last = wanted.chosen.last.map {
      SpoolPosition(bootOrdinal: segments[$0.segment].name.ordinal, sequence: $0.sequence)
    }
    var records: [SpoolRecord] = []
    var bad: [Wanted] = []
    var unread: [Wanted] = []
    for (wanted, answer) in zip(wanted.chosen, read(wanted.chosen)) {
      switch answer {
      case .record(let record): records.append(record)
      case .isDamaged: bad.append(wanted)
      case .isUnread: unread.append(wanted)
      }
    }
    // A disk that does nothing any more has not lost this record, or not this one alone.
    let isWorking = unread.isEmpty || doesWork(atS)
    report(isWorking ? bad + unread : bad, atS)
    reports.append(
      .fetched(SpoolFetched(id: fetch.id, records: records, last: last, isEnd: wanted.isEnd || !isWorking)))
  }

  /// Whether the disk can be written to; if not, that is trouble.
  private mutating func doesWork(_ atS: Double) -> Bool {
    guard trouble == nil else { return false }
    attempt(atS) { core throws(DiskFailure) in try core.tryDisk() }
    return trouble == nil
  }

  /// The next records in order, of one run and then the next, as far as the limits allow.
  private func choose(_ fetch: SpoolFetch) -> (chosen: [Wanted], isEnd: Bool) {
    let limit = max(1, fetch.limit)
    var chosen: [Wanted] = []
    for (ordinal, places) in runs(fetch) {
      let isFirst = ordinal == fetch.after?.bootOrdinal
      chosen += merge(places, after: isFirst ? fetch.after?.sequence : nil, limit: limit + 1 - chosen.count)
      if chosen.count > limit { break }
    }
    var isEnd = chosen.count <= limit
    chosen = Array(chosen.prefix(limit))
    var bytes = 0
    for (index, wanted) in chosen.enumerated() {
      bytes += wanted.entry.size
      if bytes > fetch.limitBytes, index > 0 {
        chosen.removeSubrange(index...)
        isEnd = false
        break
      }
    }
    return (chosen, isEnd)
  }

  /// Segments with anything left for this request, by the run that made them.
  private func runs(_ fetch: SpoolFetch) -> [(ordinal: UInt32, places: [Int])] {
    var runs: [UInt32: [Int]] = [:]
    for (place, segment) in segments.enumerated() where !segment.isSpent {
      let name = segment.name
      guard (name.lane == .waveform) == fetch.isWaveform else { continue }
      if let after = fetch.after, name.ordinal < after.bootOrdinal { continue }
      runs[name.ordinal, default: []].append(place)
    }
    return runs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The first records of some segments in the order of their numbers. As a rule segments follow one another, so that
  /// only one or two are looked at.
  private func merge(_ places: [Int], after: UInt64?, limit: Int) -> [Wanted] {
    let heads = places.compactMap { place -> (place: Int, start: Int, first: UInt64)? in
      let segment = segments[place]
      guard after != .max else { return nil }
      let start = after.map { segment.place(of: $0 + 1) } ?? 0
      guard let first = segment.live(from: start, limit: 1).first else { return nil }
      return (place, start, segment.sequence(first))
    }.sorted { $0.first < $1.first }
    var found: [Wanted] = []
    for head in heads {
      if found.count >= limit, let last = found.last, last.sequence < head.first { break }
      let segment = segments[head.place]
      found += segment.live(from: head.start, limit: limit).map {
        Wanted(segment: head.place, sequence: segment.sequence($0), entry: $0)
      }
      found.sort { $0.sequence < $1.sequence }
      if found.count > limit { found.removeSubrange(limit...) }
    }
    return found
  }

  private enum Answer {
    case record(SpoolRecord)
    case isDamaged, isUnread
  }

  /// Reads records, those that lie behind one another in one go. Answers in the order of the request.
  private func read(_ wanted: [Wanted]) -> [Answer] {
    let order = wanted.indices.sorted {
      (wanted[$0].segment, wanted[$0].entry.offset) < (wanted[$1].segment, wanted[$1].entry.offset)
    }
    var answers = [Answer](repeating: .isUnread, count: wanted.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, follows(wanted[order[end]], wanted[order[end - 1]]) { end += 1 }
      let group = order[start..<end]
      for (place, answer) in zip(group, read(neighbours: group.map { wanted[$0] })) { answers[place] = answer }
      start = end
    }
    return answers
  }

  private func follows(_ one: Wanted, _ other: Wanted) -> Bool {
    one.segment == other.segment && Int(one.entry.offset) == Int(other.entry.offset) + other.entry.size
  }

  private func read(neighbours: [Wanted]) -> [Answer] {
    guard let first = neighbours.first, let last = neighbours.last else { return [] }
    let name = segments[first.segment].name
    let start = Int(first.entry.offset)
    let length = Int(last.entry.offset) + last.entry.size - start
    guard let bytes = try? disk.read(name.text, from: start, count: length) else {
      return neighbours.count == 1 ? [.isUnread] : neighbours.flatMap { read(neighbours: [$0]) }
    }
    var seed = CRC32C()
    seed.update(name.seed)
    return bytes.withUnsafeBufferPointer { buffer in
      neighbours.map { wanted in
        let place = Int(wanted.entry.offset) - start
        guard let frame = RecordFrame(at: place, in: buffer, seed: seed), frame.sequence == wanted.sequence else {
          return .isDamaged
        }
        let end = place + frame.size
        return .record(
          SpoolRecord(
            boot: name.boot, sequence: frame.sequence, lane: name.lane, kind: frame.kind, note: frame.note,
            payload: Array(buffer[end - frame.payloadBytes..<end])))
      }
    }
  }

  /// Records that were there and can't be read any more are given up, and told.
  private mutating func report(_ bad: [Wanted], _ atS: Double) {
    guard !bad.isEmpty else { return }
    for wanted in bad {
      let name = segments[wanted.segment].name
      let range = wanted.sequence...wanted.sequence
      count(name.lane, segments[wanted.segment].release(range), -1)
      let damage = SpoolDamage(
        kind: .records, file: name.text, offset: Int(wanted.entry.offset), bytes: wanted.entry.size, records: 1,
        boot: name.boot, bounds: range)
      damagedRecords += 1
      let note = take(damage, of: name)
      reports.append(.damaged(damage))
      reports.append(.evicted(note))
    }
    scheduleRemoval(atS)
    guard trouble == nil else { return scheduleState(atS) }
    attempt(atS) { core throws(DiskFailure) in try core.save() }
  }

  /// Keeps in mind that damage was told, so that it is not told again, and makes the note that tells it.
  mutating func take(_ damage: SpoolDamage, of name: SegmentName) -> EvictionNote {
    knownDamage.append(SavedState.KnownDamage(segment: name.number, offset: damage.offset))
    return add(
      EvictionNote(
        id: 0, boot: name.boot, reason: .damaged, runs: damage.bounds.map { [$0] } ?? [], events: nil, counts: [:],
        bytes: damage.bytes),
      segment: name.number)
  }
}
