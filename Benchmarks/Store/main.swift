// What the fleet's database costs, and a process to be killed while it writes. Benchmarks/Store:
//   StoreBenchmark measure FOLDER         bytes and seconds an event, by the size of the batch
//   StoreBenchmark fill FILE NODES EVENTS a database of that many
//   StoreBenchmark load FILE              how long it takes to open and load one
//   StoreBenchmark write FILE FIRST SIZE  batches from number FIRST on until it is killed; a line after each

internal import Daemon
internal import Glibc
internal import Store
internal import Telemetry

/// Ends the program with one line.
func giveUp(_ reason: String) -> Never {
  say("StoreBenchmark: \(reason)")
  exit(64)
}

/// A line that is out when this returns.
func say(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func monotonicS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// What the kernel says that this process had written to the disk [bytes].
func writtenBytes() -> Int {
  guard let file = fopen("/proc/self/io", "r") else { return 0 }
  defer { fclose(file) }
  var text = [CChar](repeating: 0, count: 1024)
  let count = fread(&text, 1, 1023, file)
  let lines = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "\n")
  let line = lines.first { $0.hasPrefix("write_bytes: ") }
  return line.flatMap { Int($0.dropFirst("write_bytes: ".count)) } ?? 0
}

/// Resident memory of this process [KiB].
func residentKiB() -> Int { ProcessUsage.read().residentKB ?? 0 }

func name(_ node: Int) -> NodeName { NodeName("node-\(node)") ?? NodeName("node")! }

/// An event as nodes send it: a location, or every tenth time an impact.
func event(node: Int, boot: UInt32, sequence: UInt64, at t: Double) -> EventRow {
  let isImpact = sequence % 10 == 0
  let head =
    "{\"v\":1,\"boot\":\"\(BootID(boot))\",\"seq\":\(sequence),\"t\":\(t),\"clk\":\"ntp\","
    + "\"up\":\(Double(sequence) * 30),"
  let content =
    isImpact
    ? "\"id\":\(sequence / 10),\"start_t\":\(t),\"peak_g\":3.217,\"duration_s\":0.012,\"dv_mps\":0.41,\"axis\":\"z\"}"
    : "\"fix\":3,\"lat\":47.3769123,\"lon\":8.5417004,\"acc_m\":3.82,\"acc_source\":\"reported\",\"speed_mps\":1.31,"
      + "\"course_deg\":211.4,\"fix_t\":\(t - 0.25),\"age_s\":0.31,\"moved_m\":26.4,\"why\":\"distance\"}"
  return EventRow(
    node: name(node), boot: BootID(boot), sequence: sequence, stream: isImpact ? .impact : .location,
    measured: WallTime(seconds: t), clock: .ntp, uptimeS: Double(sequence) * 30,
    received: WallTime(seconds: t + 0.2), isLate: false, payload: Array((head + content).utf8))
}

let startT = 1_796_011_500.0

func open(_ file: String) -> HistoryStore {
  do throws(StoreProblem) { return try HistoryStore(StoreSettings(file: file, keepDays: 3650)) } catch {
    giveUp("\(error)")
  }
}

func commit(_ store: HistoryStore, _ batch: StoreBatch) -> CommitReport {
  do throws(StoreProblem) { return try store.commit(batch) } catch { giveUp("\(error)") }
}

/// A batch of events of nodes in turn, with the newest message of each.
func batch(_ id: UInt64, nodes: Int, size: Int) -> StoreBatch {
  var batch = StoreBatch(id: id, now: WallTime(seconds: startT))
  for place in 0..<size {
    let number = Int(id) * size + place
    let row = event(
      node: number % nodes, boot: 1, sequence: UInt64(number / nodes + 1), at: startT + Double(number) * 0.01)
    batch.events.append(row)
    batch.latest.append(
      LatestRow(node: row.node, stream: row.stream, received: row.received, payload: row.payload))
  }
  return batch
}

func measure(_ folder: String) {
  for size in [1, 10, 100, 1000] {
    let file = "\(folder)/measure-\(size).db"
    for suffix in ["", "-wal", "-shm", ".lock"] { unlink(file + suffix) }
    let store = open(file)
    let batches = min(2000, 100_000 / size)
    let (startS, bytes) = (monotonicS(), writtenBytes())
    for id in 0..<batches { _ = commit(store, batch(UInt64(id), nodes: 100, size: size)) }
    let (tookS, written) = (monotonicS() - startS, writtenBytes() - bytes)
    let events = batches * size
    let kept = (try? store.sizeBytes()) ?? 0
    say(
      "batch \(size): \(written / events) B, \(Int(tookS / Double(events) * 1e6)) us, "
        + "\(Int(Double(events) / tookS)) events/s, 1/\(size) commits an event; kept \(kept / Int64(events)) B an event"
    )
    store.close()
  }
}

func fill(_ file: String, nodes: Int, events: Int) {
  let store = open(file)
  let size = 1000
  for id in 0..<(events / size) { _ = commit(store, batch(UInt64(id), nodes: nodes, size: size)) }
  store.close()
  say("filled, \(residentKiB()) KiB resident")
}

func load(_ file: String) {
  let startS = monotonicS()
  let store = open(file)
  let openS = monotonicS() - startS
  var nodes = 0
  do throws(StoreProblem) { try store.load { nodes += $0.nodes.count } } catch { giveUp("\(error)") }
  say(
    "opened (\(store.opening.check.rawValue), whole: \(store.opening.isCheckWhole)) in \(Int(openS * 1000)) ms, "
      + "\(nodes) nodes in \(Int((monotonicS() - startS) * 1000)) ms, \(residentKiB()) KiB resident")
}

/// Writes until it is killed. What it says is on the disk.
func writeForEver(_ file: String, first: UInt64, size: Int) -> Never {
  let store = open(file)
  say("opened \(store.opening.rescue == nil ? "sound" : "rescued")")
  var id = first
  while true {
    let report = commit(store, batch(id, nodes: 3, size: size))
    say("committed \(id) \(report.count(.stored)) \(report.count(.duplicate)) \(report.count(.conflict))")
    id += 1
  }
}

let arguments = CommandLine.arguments
switch (arguments.dropFirst().first, arguments.count) {
case ("measure", 3): measure(arguments[2])
case ("fill", 5): fill(arguments[2], nodes: Int(arguments[3]) ?? 1, events: Int(arguments[4]) ?? 0)
case ("load", 3): load(arguments[2])
case ("write", 5): writeForEver(arguments[2], first: UInt64(arguments[3]) ?? 0, size: Int(arguments[4]) ?? 1)
default: giveUp("usage: StoreBenchmark measure FOLDER | fill FILE NODES EVENTS | load FILE | write FILE FIRST SIZE")
}
