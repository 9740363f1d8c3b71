// What a fleet of many nodes costs: a message, a wake, a picture, and memory. Benchmarks/Fleet:
//   FleetBenchmark gather NODES           NODES nodes say what they say at their start, and no more
//   FleetBenchmark speak NODES COUNT      then COUNT messages come
//   FleetBenchmark wake NODES COUNT       then nothing comes, and it is woken COUNT times, a silent node each
//   FleetBenchmark draw NODES COUNT       then 1000 nodes shake, and the list is drawn COUNT times in each order
//   FleetBenchmark figures NODES          all of that, in seconds and bytes
// Benchmarks/fleet counts the instructions of the first four.

internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Telemetry

/// Ends the program with one line.
func giveUp(_ reason: String) -> Never {
  print("FleetBenchmark: \(reason)")
  exit(64)
}

/// What this process has had of the processor [s].
func cpuS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Seconds of the processor that `body` takes.
func measure(_ body: () -> Void) -> Double {
  let start = cpuS()
  body()
  return cpuS() - start
}

/// Resident memory of this process [KiB].
func residentKiB() -> Int { ProcessUsage.read().residentKB ?? 0 }

/// Draws the list in each order, and answers the seconds of a picture for each.
func draw(_ crowd: Crowd, _ count: Int, filter: String = "") -> [Double] {
  var screen = WatchScreen(width: 120, height: 50, isColoured: true)
  if !filter.isEmpty {
    _ = screen.press(.character("/"))
    for scalar in filter.unicodeScalars { _ = screen.press(.character(scalar)) }
    _ = screen.press(.enter)
  }
  return (0..<6).map { _ in
    let seconds = measure {
      for _ in 0..<count { _ = screen.lines(crowd.fleet, crowd.memory, at: crowd.now) }
    }
    _ = screen.press(.character("o"))
    return seconds / Double(count)
  }
}

func figures(_ nodes: Int) {
  func milliseconds(_ seconds: Double) -> String { Decimal.text(seconds * 1000, decimals: 3) + " ms" }
  let before = residentKiB()
  var crowd = Crowd(nodes: nodes)
  let gathered = measure { crowd.gather() }
  let bytes = (residentKiB() - before) * 1024 / nodes
  let spoken = measure { crowd.speak(20_000) }
  let wakes = min(nodes / 2, 400)
  var quiet = crowd
  // What is common to both is copied when one is changed.
  _ = quiet.wake(1)
  let woken = measure { _ = quiet.wake(wakes) }
  crowd.alarm(1000)
  let drawn = draw(crowd, 3)
  let filtered = draw(crowd, 3, filter: "99")
  print("\(nodes) nodes")
  print("  first messages   \(milliseconds(gathered / Double(4 * nodes))) each")
  print("  a message        \(milliseconds(spoken / 20_000)), \(Int(20_000 / spoken)) a second")
  print("  a wake           \(milliseconds(woken / Double(wakes)))")
  print("  a picture        \(drawn.map(milliseconds).joined(separator: ", ")), by each order")
  print("  with a filter    \(filtered.map(milliseconds).joined(separator: ", "))")
  print("  memory           \(bytes) bytes a node")
}

let arguments = CommandLine.arguments.dropFirst()
guard let action = arguments.first, let nodes = arguments.dropFirst().first.flatMap({ Int($0) }), nodes > 0 else {
  giveUp("usage: FleetBenchmark gather|speak|wake|draw|figures NODES [COUNT]")
}
let count = arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
if action == "figures" {
  figures(nodes)
} else {
  var crowd = Crowd(nodes: nodes)
  crowd.gather()
  switch action {
  case "gather": break
  case "speak": crowd.speak(count)
  case "wake": if crowd.wake(count) < count { giveUp("nothing was due any more") }
  case "draw":
    crowd.alarm(1000)
    _ = draw(crowd, count)
  default: giveUp("no such action: \(action)")
  }
}
