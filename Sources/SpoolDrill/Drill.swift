internal import Glibc
internal import Spool

/// The caller of a spool: keeps what is not stored, offers it again, tells of what was given up.
struct Drill {
  private let spool: SpoolThread
  private let boot: UInt32
  private let events: UInt64
  private var sequence: UInt64 = 0
  /// Taken and neither stored nor given up, with the note that they tell of.
  private var pending: [UInt64: UInt64?] = [:]
  private var again: [UInt64] = []
  /// Notes so far.
  private var told: UInt64 = 0
  private var isWorking = true
  private var isOpened = false
  /// The longest that the spool has held up its caller.
  private var slowestUS = 0

  init(spool: SpoolThread, boot: UInt32, events: UInt64) {
    self.spool = spool
    self.boot = boot
    self.events = events
  }

  mutating func run(paceUS: UInt32) {
    while sequence < events || !again.isEmpty || !isWorking {
      hear()
      if isOpened, isWorking { feed() }
      var descriptor = pollfd(fd: spool.descriptor, events: Int16(POLLIN), revents: 0)
      if paceUS > 0 { usleep(paceUS) }
      if pending.count >= 200 || !isWorking || !isOpened { poll(&descriptor, 1, 100) }
    }
    say("slowest \(slowestUS)")
    let startUS = Drill.nowUS
    spool.stop(withinS: 10)
    let endUS = Drill.nowUS
    say("stop \(endUS - startUS)")
    hear()
  }

  private static var nowUS: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  private mutating func feed() {
    while let number = again.popLast() {
      guard offer(number) else {
        again.append(number)
        return
      }
    }
    if sequence < events, pending.count < 200 {
      pending[sequence + 1] = .some(nil)
      if offer(sequence + 1) { sequence += 1 } else { pending[sequence + 1] = nil }
    }
  }

  private mutating func offer(_ number: UInt64) -> Bool {
    guard let note = pending[number] else { return true }
    let lane: SpoolLane = note != nil ? .shock : [.shock, .routine, .shock, .routine, .waveform][Int(number % 5)]
    let size = lane == .waveform ? 900 : 180 + Int(number % 60)
    let record = SpoolRecord(
      boot: boot, sequence: number, lane: lane, kind: lane.rawValue, note: note,
      payload: Drill.payload(boot, number, size))
    let startUS = Drill.nowUS
    defer { slowestUS = max(slowestUS, Drill.nowUS - startUS) }
    return spool.offer(.append(record, bornAtS: nil))
  }

  /// Belongs to one number and no other.
  static func payload(_ boot: UInt32, _ sequence: UInt64, _ bytes: Int) -> [UInt8] {
    let text = Array("{\"boot\":\(boot),\"seq\":\(sequence)}".utf8)
    return text + [UInt8](repeating: 0x2E, count: bytes)
  }

  private mutating func hear() {
    for report in spool.drain() {
      switch report {
      case .opened(let contents):
        isOpened = true
        say("opened " + contents.lanes.map { "\($0.events)" }.joined(separator: " "))
        for note in contents.notes { tell(note) }
      case .stored(_, let sequences): takeStored(sequences)
      case .notStored(_, let sequences, _):
        say("notstored " + list(sequences))
        again += sequences.filter { pending[$0] != nil }
      case .evicted(let note): tell(note)
      case .state(let state):
        if state.isWorking != isWorking { say(state.trouble.map { "trouble \($0.text)" } ?? "works") }
        isWorking = state.isWorking
      case .damaged(let damage): say("damaged \(damage)")
      case .stopped: say("stopped")
      case .fetched: break
      }
    }
  }

  private mutating func takeStored(_ sequences: [UInt64]) {
    say("stored " + list(sequences))
    for sequence in sequences { pending[sequence] = nil }
    let gone = sequences.filter { $0 % 3 == 0 }
    guard !gone.isEmpty else { return }
    say("released \(boot) " + list(gone))
    for number in gone { _ = spool.offer(.release(boot: boot, number...number)) }
  }

  private mutating func tell(_ note: EvictionNote) {
    let runs = note.runs.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    say("evicted \(note.id) \(note.boot) \(runs)")
    if note.boot == boot {
      for number in note.runs.joined() { pending[number] = nil }
    }
    // Far from the other numbers.
    told += 1
    let number = 1_000_000_000 + told
    pending[number] = .some(note.id)
    again.append(number)
  }

  private func list(_ numbers: [UInt64]) -> String { numbers.map(String.init).joined(separator: " ") }
}
