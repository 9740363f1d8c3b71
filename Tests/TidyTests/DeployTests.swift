import Foundation
import Rig
import Testing

@Suite("Units and rules for devices")
struct DeployTests {
  static let units = ["judder-node.service", "judder-fleet.service"]
  static let analyzer = ChildProcess.find("systemd-analyze")

  private func text(_ path: String) throws -> String {
    try String(contentsOf: SourceTree.root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Exposure from 0 to 100; 20 is what systemd-analyze shows as 2.0.
  private func analyze(_ unit: String, in workplace: Workplace) throws -> (status: Int32?, report: String) {
    let child = try ChildProcess(
      try #require(DeployTests.analyzer), ["security", "--offline=yes", "--no-pager", "--threshold=20", unit],
      in: workplace.folder)
    return (child.wait(seconds: 30), child.outputText() + child.errorText())
  }

  @Test(
    "A unit exposes little", .enabled(if: analyzer != nil, "systemd-analyze is not installed"), arguments: units)
  func exposure(unit: String) throws {
    let path = SourceTree.root.appendingPathComponent("deploy/systemd/\(unit)").path
    let (status, report) = try analyze(path, in: Workplace("tidy"))
    #expect(status == 0, "\(report)")
  }

  @Test(
    "A unit that exposes much is found", .enabled(if: analyzer != nil, "systemd-analyze is not installed"))
  func exposed() throws {
    let workplace = try Workplace("tidy")
    let open = try text("deploy/systemd/judder-fleet.service").replacing("CapabilityBoundingSet=\n", with: "")
      .replacing("DynamicUser=yes\n", with: "").replacing(#/SystemCall[^\n]*\n/#, with: "")
    #expect(try analyze(workplace.write("open.service", open), in: workplace).status != 0)
  }

  @Test("A unit starts the program that is installed, survives a missing secret and restarts", arguments: units)
  func lines(unit: String) throws {
    let lines = try text("deploy/systemd/\(unit)").split(separator: "\n")
    let program = unit.replacing(".service", with: "")
    #expect(lines.contains { $0.hasPrefix("ExecStart=/usr/bin/\(program) run --config /etc/judder/") })
    for line in ["Type=notify", "WatchdogSec=60", "Restart=always", "StartLimitIntervalSec=0"] {
      #expect(lines.contains { $0 == line }, "\(line)")
    }
    // An absolute source would have to exist: systemd.exec(5), LoadCredential=.
    let credentials = lines.filter { $0.hasPrefix("LoadCredential=") }
    #expect(!credentials.isEmpty)
    #expect(credentials.allSatisfy { !$0.contains("/") })
  }

  static let promtool = ChildProcess.find("promtool")

  @Test(
    "Prometheus takes the sample configuration and its rules",
    .enabled(if: promtool != nil, "promtool is not installed (Debian: prometheus)"))
  func prometheus() throws {
    let folder = SourceTree.root.appendingPathComponent("deploy/prometheus")
    let child = try ChildProcess(
      try #require(DeployTests.promtool), ["check", "config", folder.appendingPathComponent("prometheus.yml").path],
      in: Workplace("tidy").folder)
    #expect(child.wait(seconds: 20) == 0 && child.outputText().contains("5 rules found"), "\(child.errorText())")
  }

  @Test("Every metric that the sample rules name is one that judder-fleet has")
  func metricNames() throws {
    let sources = try ["MetricsText", "MetricsText+Nodes", "MetricsText+Shell"].map {
      try text("Sources/FleetLogic/Metrics/\($0).swift")
    }.joined()
    let rules = try text("deploy/prometheus/judder.rules.yml")
    let named = rules.matches(of: #/judder_fleet_\w+/#).map { String($0.output) }
    #expect(named.count >= 5)
    for name in named { #expect(sources.contains("\"\(name)\""), "\(name)") }
  }

  @Test("The udev rule lets the group write what starts a capture, and nothing else")
  func udev() throws {
    let workplace = try Workplace("tidy")
    let granted = [
      "buffer/enable", "buffer/length", "buffer/watermark", "buffer0/enable", "buffer0/in_accel_x_en",
      "scan_elements/in_accel_x_en", "scan_elements/in_timestamp_en", "trigger/current_trigger",
      "current_timestamp_clock", "in_accel_sampling_frequency", "events/in_accel_x_roc_rising_en",
      "events/in_accel_x_roc_rising_value",
    ]
    let kept = [
      "events/in_accel_x_roc_rising_period", "events/in_proximity0_thresh_rising_en", "in_accel_x_raw",
      "in_accel_scale", "scan_elements/in_accel_x_type", "name", "power/control",
    ]
    for path in granted + kept {
      let file = workplace.folder.appendingPathComponent("device/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("0\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
    }
    let child = try ChildProcess("sh", ["-c", try grantCommand(for: workplace)], in: workplace.folder)
    #expect(child.wait(seconds: 10) == 0, "\(child.errorText())")
    for path in granted { #expect(try mode("device/\(path)", in: workplace) == 0o664, "\(path)") }
    for path in kept { #expect(try mode("device/\(path)", in: workplace) == 0o644, "\(path)") }
  }

  /// The shell command of the rule's last RUN, for a device folder in a workplace and a group that exists here.
  private func grantCommand(for workplace: Workplace) throws -> String {
    let rules = try text("deploy/udev/60-judder-iio.rules").replacing("\\\n", with: "")
    let match = try #require(rules.matches(of: #/RUN\+="/bin/sh -c '(.*)'"/#).last)
    return String(match.1).replacing("\\\"", with: "\"").replacing("$$", with: "$")
      .replacing("/sys$devpath", with: workplace.path("device")).replacing("chgrp judder", with: "chgrp \(getgid())")
  }

  private func mode(_ path: String, in workplace: Workplace) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: workplace.path(path))[.posixPermissions] as? Int
  }
}
