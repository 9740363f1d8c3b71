import Store
import Telemetry
import Testing

@Suite("What is committed, and what is acknowledged")
struct CommitTests {
  @Test("An event that comes twice is stored once and acknowledged twice")
  func idempotent() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let first = try store.commit(batch([event(1), event(2), event(1)]))
    #expect(first.outcomes == [.stored, .stored, .duplicate])
    let again = try store.commit(batch(id: 2, [event(2)]))
    #expect(again.outcomes == [.duplicate])
    #expect(again.id == 2)
    #expect(
      again.acknowledgements == [Acknowledgement(node: node("pump-7"), boot: BootID(1), sequence: 2, also: [])])
    #expect(try store.count() == 2)
  }

  @Test("What is above a gap is told apart, and joins when the gap closes")
  func also() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var report = try store.commit(batch([event(1), event(4), event(5), event(9)]))
    #expect(report.acknowledgements.first?.sequence == 1)
    #expect(report.acknowledgements.first?.also == [4...5, 9...9])
    #expect(try store.gaps(node: node("pump-7"), boot: BootID(1)) == [2...3, 6...8])
    report = try store.commit(batch([event(3), event(2)]))
    #expect(report.acknowledgements.first?.sequence == 5)
    #expect(report.acknowledgements.first?.also == [9...9])
  }

  @Test("Without the first number nothing is acknowledged as a run")
  func zero() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let report = try store.commit(batch([event(7)]))
    #expect(report.acknowledgements.first?.sequence == 0)
    #expect(report.acknowledgements.first?.also == [7...7])
  }

  @Test("Of more ranges than there is room for, the batch's own are told")
  func manyRanges() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch((1...200).map { event(UInt64($0) * 2) }))
    let report = try store.commit(batch([event(1000), event(400)]))
    let also = try #require(report.acknowledgements.first?.also)
    #expect(also.count == Acknowledgement.maximumRanges)
    #expect(also.contains(1000...1000) && also.contains(400...400) && also.contains(2...2))
    #expect(also == also.sorted { $0.lowerBound < $1.lowerBound })
  }

  @Test("What one acknowledgement has no room for is told by several, each of what had come by then")
  func severalAcknowledgements() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    // Shakes at odd numbers first; then the waveforms between them, from the top, and again from the bottom.
    var numbers = Array(stride(from: UInt64(3), to: 803, by: 2))
    numbers += Array(stride(from: UInt64(400), to: 300, by: -2))
    numbers += Array(stride(from: UInt64(2), to: 202, by: 2))
    numbers.append(1)
    let report = try store.commit(batch(numbers.map { event($0) }))
    let told = report.acknowledgements
    #expect(told.count >= 4)
    #expect(told.allSatisfy { $0.also.count <= Acknowledgement.maximumRanges })
    var named: Set<UInt64> = []
    for acknowledgement in told {
      if acknowledgement.sequence > 0 { named.formUnion(1...acknowledgement.sequence) }
      for range in acknowledgement.also { named.formUnion(range) }
      // All that came before the last of what is named is named as well: nothing is taken for lost.
      let last = try #require(numbers.lastIndex { named.contains($0) })
      #expect(numbers[...last].allSatisfy { named.contains($0) })
    }
    #expect(named.symmetricDifference(numbers).isEmpty)
  }

  @Test("Boots and nodes are acknowledged apart, each once a batch")
  func apart() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let report = try store.commit(
      batch([event(1), event(1, of: "van-1"), event(1, boot: 2), event(2), event(3, of: "van-1")]))
    #expect(report.acknowledgements.map(\.node.description) == ["pump-7", "van-1", "pump-7"])
    #expect(report.acknowledgements.map(\.boot) == [BootID(1), BootID(1), BootID(2)])
    #expect(report.acknowledgements.map(\.sequence) == [2, 1, 1])
  }

  @Test("A restart forgets nothing that was acknowledged", arguments: [true, false])
  func restart(isClean: Bool) throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    _ = try store?.commit(batch([event(1), event(2), event(5)]))
    if isClean { store?.close() }
    store = nil
    store = try shelf.open()
    let report = try #require(try store?.commit(batch([event(2), event(3)])))
    #expect(report.outcomes == [.duplicate, .stored])
    #expect(report.acknowledgements.first?.sequence == 3)
    #expect(report.acknowledgements.first?.also == [5...5])
    #expect(store?.opening.check == (isClean ? .quick : .full))
    #expect(store?.opening.isCheckWhole == true)
  }

  @Test("Numbers that were given up exactly count as settled; bounds do not")
  func evictions() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    var told = batch([event(1), event(2), event(10)])
    told.evictions = [evicted([3...5, 7...9], sequence: 10)]
    var report = try #require(try store?.commit(told))
    #expect(report.acknowledgements.first?.sequence == 5)
    // Those that are only known as given up are not stored.
    #expect(report.acknowledgements.first?.also == [10...10])
    store = nil
    store = try shelf.open()
    report = try #require(try store?.commit(batch([event(6)])))
    #expect(report.acknowledgements.first?.sequence == 10)
    var damaged = batch(id: 3, [])
    damaged.evictions = [evicted([11...20], sequence: 11, reason: "damaged")]
    _ = try store?.commit(damaged)
    #expect(try store?.acknowledgement(node: node("pump-7"), boot: BootID(1))?.sequence == 10)
    #expect(try store?.evictedEvents() == ["cap": 6, "damaged": 0])
  }

  @Test("An event that was reported as given up, and comes nevertheless, is stored")
  func evictedButCame() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var told = batch([event(1), event(4)])
    told.evictions = [evicted([2...3], sequence: 4)]
    _ = try store.commit(told)
    #expect(try store.commit(batch([event(2)])).outcomes == [.stored])
    #expect(try store.commit(batch([event(2)])).outcomes == [.duplicate])
    #expect(try store.count() == 3)
    // Said again, it changes nothing and counts once.
    _ = try store.commit(told)
    #expect(try store.evictedEvents() == ["cap": 2])
    #expect(try store.commit(batch([event(2)])).outcomes == [.duplicate])
  }

  @Test("Numbers given up one by one count however many they are, and what comes late nevertheless is stored")
  func manyEvictions() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    // Shakes at odd numbers are kept, locations at even ones given up.
    for part in 0..<12 as Range<UInt64> {
      let odd = (0..<500).map { part * 1000 + 2 * $0 + 1 }
      var told = batch(odd.map { event($0, stream: .shake) })
      told.evictions = odd.map { evicted([($0 + 1)...($0 + 1)], boot: 1, sequence: $0) }
      let report = try store?.commit(told)
      #expect(report?.acknowledgements.first?.sequence == (part + 1) * 1000)
    }
    for _ in 0..<2 {
      #expect(try store?.commit(batch([event(1, stream: .shake), event(3, stream: .shake)])).count(.duplicate) == 2)
      store = nil
      store = try shelf.open()
      let late = try #require(try store?.commit(batch([event(2), event(12_000)])))
      #expect(late.acknowledgements.first?.sequence == 12_000)
      #expect(try store?.count() == 6002)
    }
  }

  @Test("What is above a hole counts once that is filled, however many runs it has; also over a restart")
  func manyEvictionsAboveAHole() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    for part in 0..<12 as Range<UInt64> {
      let odd = (0..<500).map { part * 1000 + 2 * $0 + 3 }
      var told = batch(odd.map { event($0, stream: .shake) })
      told.evictions = odd.map { evicted([($0 - 1)...($0 - 1)], boot: 1, sequence: $0) }
      #expect(try store?.commit(told).acknowledgements.first?.sequence == 0)
    }
    store = nil
    store = try shelf.open()
    let filled = try #require(try store?.commit(batch([event(1)])))
    #expect(filled.acknowledgements.first?.sequence == 12_001)
    #expect(try loaded(#require(store)).nodes.first?.boots.first?.also == [])
  }

  @Test("Numbers told as given up by several events count once")
  func toldTwice() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var told = batch([event(1), event(9), event(10), event(11)])
    told.evictions = [
      evicted([2...8], sequence: 9), evicted([2...8], sequence: 10),
      evicted([2...8, 12...14], sequence: 11, reason: "age"),
    ]
    #expect(try store.commit(told).acknowledgements.first?.sequence == 14)
    #expect(try store.evictedEvents() == ["cap": 7, "age": 3])
  }

  @Test("Another event under a number that is taken is set apart, and the first one stays")
  func conflict() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch([event(1)]))
    let other = #"{"v":1,"boot":"00000001","seq":1,"t":1796011501,"clk":"ntp","up":1,"value":8}"#
    let report = try store.commit(batch([event(1, text: other), event(1, text: other), event(1, stream: .shake)]))
    #expect(report.outcomes == [.conflict, .conflict, .conflict])
    #expect(report.acknowledgements.first?.sequence == 1)
    #expect(try store.events().map(\.payload) == [event(1).payload])
    let kept = try store.conflicts()
    #expect(kept.count == 1 && kept.first?.times == 3 && kept.first?.payload == Array(other.utf8))
    #expect(try loaded(store).nodes.first?.boots.first?.conflicts == 3)
  }

  @Test(
    "What a node learns of its clock meanwhile makes no other event",
    arguments: [
      #"{"v":1,"boot":"00000001","seq":1,"t":9,"clk":"ntp","up":3,"g":[1,2],"age_s":2,"last":{"t":4,"lat":1}}"#,
      #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3,"g":[1,2],"age_s":9,"last":{"t":9,"lat":1}}"#,
      #"{"backlog":true,"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3,"g":[1,2],"last":{"lat":1,"t":4}}"#,
    ])
  func sameSubstance(text: String) throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let first =
      #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3,"g":[1,2],"age_s":2,"last":{"t":4,"lat":1}}"#
    _ = try store.commit(batch([event(1, text: first)]))
    #expect(try store.commit(batch([event(1, text: text)])).outcomes == [.duplicate])
  }

  @Test(
    "What was measured does",
    arguments: [
      #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3.5,"g":[1,2]}"#,
      #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3,"g":[2,1]}"#,
      #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3}"#, "not json",
    ])
  func otherSubstance(text: String) throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let first = #"{"v":1,"boot":"00000001","seq":1,"t":5,"clk":"none","up":3,"g":[1,2]}"#
    _ = try store.commit(batch([event(1, text: first)]))
    #expect(try store.commit(batch([event(1, text: text)])).outcomes == [.conflict])
  }

  @Test("A run with more gaps than are kept in mind stays exact")
  func manyGaps() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    // 9000 events, every other number: twice as many gaps as there is room for.
    for part in 0..<9 { _ = try store.commit(batch((1...1000).map { event(UInt64(part * 1000 + $0) * 2) })) }
    let above = try store.commit(batch([event(18_000)]))
    #expect(above.outcomes == [.duplicate])
    #expect(above.acknowledgements.first?.also.contains(18_000...18_000) == true)
    for part in 0..<9 {
      let report = try store.commit(batch((1...1000).map { event(UInt64(part * 1000 + $0) * 2 - 1) }))
      #expect(report.count(.stored) == 1000)
    }
    #expect(try store.acknowledgement(node: node("pump-7"), boot: BootID(1))?.sequence == 18_000)
    #expect(try store.count() == 18_000)
  }

  @Test("Counts that nodes tell may be of any size")
  func hugeCounts() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var batch = batch([])
    for sequence in 1...3 as ClosedRange<UInt64> {
      var row = evicted([], sequence: sequence, reason: "damaged")
      row.events = 1 << 62
      batch.evictions.append(row)
    }
    _ = try store.commit(batch)
    #expect(try store.evictedEvents() == ["damaged": .max])
  }

  @Test("Runs that are not in memory are read again")
  func fewInMemory() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.bootsInMemory = 4 }
    for sequence in 1...3 {
      _ = try store.commit(batch((0..<20).map { event(UInt64(sequence), of: "node-\($0)") }))
    }
    let report = try store.commit(batch((0..<20).map { event(3, of: "node-\($0)") }))
    #expect(report.count(.duplicate) == 20)
    #expect(report.acknowledgements.allSatisfy { $0.sequence == 3 })
  }

  @Test("A batch of the largest size is taken, a larger one is not")
  func largestBatch() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let events = (1...StoreBatch.maximumEvents).map { event(UInt64($0)) }
    #expect(try store.commit(batch(events)).acknowledgements.first?.sequence == 10_000)
    #expect(throws: StoreProblem.self) { try store.commit(batch(events + [event(10_001)])) }
    #expect(try store.count() == 10_000)
  }
}
