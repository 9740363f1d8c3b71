import Foundation
import Rig
import Telemetry
import Testing

/// SIGHUP: the configuration is read again while everything runs.
@Suite(.serialized) struct ReloadTests {
  @Test func newValuesTakeEffectAndABrokenFileChangesNothing() throws {
    let place = try Workplace("e2e-reload")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let keys = shakenNode + port(broker.port)
    let node = try NodeRun(keys, in: place)
    #expect(waitUntil(seconds: 10) { !watcher.accelerations.isEmpty })

    let changed = keys + ["acceleration.window_s": "0.5", "shake.preset": "\"fixed\""]
    try node.reload(changed)
    #expect(waitUntil(seconds: 5) { watcher.statuses.last?.preset == "fixed" }, "\(node.log)")
    #expect(watcher.statuses.last?.windowS == 0.5)
    #expect(watcher.statuses.last?.state == .online)
    #expect(watcher.statuses.last?.accelerometer == "simulated-shaken")
    // The first may be what was left of the old window.
    let known = watcher.accelerations.count
    #expect(waitUntil(seconds: 5) { watcher.accelerations.count >= known + 3 })
    #expect((0.4...0.6).contains(watcher.accelerations.last?.windowS ?? 0))
    #expect(watcher.accelerations.allSatisfy { $0.missed == 0 })

    let good = NodeRun.text(changed)
    try node.reload(text: good.replacingOccurrences(of: "window_s = 0.5", with: "window_s = -1\nwindow_z = 3"))
    #expect(waitUntil(seconds: 5) { node.log.last?.hasSuffix("the configuration stays as it was") == true })
    let complaints = node.log.filter { $0.contains(" error: \(node.file):") }
    #expect(complaints.count == 2, "\(node.log)")
    let line =
      1 + (good.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.hasPrefix("window_s") } ?? 0)
    #expect(complaints.contains { $0.contains("\(node.file):\(line):") && $0.contains("window_s") }, "\(complaints)")
    #expect(complaints.contains { $0.contains("\(node.file):\(line + 1):1: unknown key 'window_z'") }, "\(complaints)")
    let before = watcher.accelerations.count
    #expect(waitUntil(seconds: 5) { watcher.accelerations.count >= before + 2 })
    #expect((0.4...0.6).contains(watcher.accelerations.last?.windowS ?? 0))
    #expect(node.process.isRunning)
    #expect(Set(watcher.telegrams.map(\.envelope.boot)).count == 1)
    #expect(watcher.healths.last?.link.connects == 1, "nothing that was reloaded concerns the connection")
  }

  @Test func anotherPortMovesTheNodeToAnotherBroker() throws {
    let place = try Workplace("e2e-reload")
    let old = try Broker(in: place)
    let new = try Broker(in: place)
    try old.start()
    try new.start()
    let (atOld, atNew) = (try Watcher(old), try Watcher(new))
    let node = try NodeRun(shakenNode + port(old.port), in: place)
    #expect(atOld.waitFor(.online))
    #expect(waitUntil(seconds: 5) { !atOld.orientations.isEmpty })

    try node.reload(shakenNode + port(new.port))
    #expect(atNew.waitFor(.online), "\(node.log)")
    #expect(atOld.waitFor(.stopped, seconds: 3), "whoever asks the old broker must not be told that the node is there")
    #expect(waitUntil(seconds: 10) { atNew.shakes.contains { $0.phase == .ended } })
    #expect(waitUntil(seconds: 3) { !atNew.healths.isEmpty })
    // The numbers go on where the old broker's left off; the new one gets the orientation to keep, as the event it was.
    let orientations = try atOld.messages.filter { $0.stream == .orientation }.map { try $0.telegram() }
    let kept = orientations.compactMap(\.envelope.sequence)
    #expect(Set(atOld.sequences).intersection(atNew.sequences).isSubset(of: kept))
    let all = Set(atOld.sequences + atNew.sequences)
    #expect(all == Set(1...(all.max() ?? 1)))
    #expect(Set((atOld.telegrams + atNew.telegrams).map(\.envelope.boot)).count == 1)
    #expect(atNew.healths.last?.accelerometer?.gaps == 0)
  }
}
