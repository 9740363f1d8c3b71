internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// What was set over the broker, on top of the configuration that was read.
struct RemoteSettings {
  private static let heading = "Set over the broker with judder-fleet send NODE set KEY=VALUE; taken back with KEY=."

  /// Where it is kept; nil: it ends with the process.
  let file: String?
  private(set) var overlay = ConfigurationOverlay()
  /// What is wrong with the file, one line each.
  private(set) var complaints: [String] = []

  /// Reads what an earlier run kept. A file that cannot be used is told, and stops nothing.
  init(file: String?) {
    self.file = file
    guard let file else { return }
    do throws(FileError) {
      let bytes = try readSmallFile(file, limit: ConfigurationOverlay.largestBytes)
      let found = ConfigurationOverlay.read(bytes, name: file, NodeSchema.schema, check: RemoteKeys.check)
      overlay = found.overlay
      complaints = found.problems.map(\.description)
    } catch {
      guard error.code != ENOENT else { return }
      complaints = ["\(file) \(error): nothing that was set over the broker holds"]
    }
  }

  /// The file's bytes.
  var bytes: [UInt8] { overlay.encode(heading: Self.heading) }

  /// The node's configuration with what was set. A key that does not go together with the rest is left out, told and
  /// kept: the next change of the file may let it in again.
  ///
  /// - Throws: what is wrong with the configuration by itself.
  func applied(
    to base: Configuration, _ build: (Configuration) throws(ConfigurationFailure) -> NodeConfiguration
  ) throws(ConfigurationFailure) -> NodeConfiguration {
    var (configuration, node) = (base, try build(base))
    var taken: [ConfigurationOverlay.Entry] = []
    var waiting = overlay.entries
    if let all = try? build(waiting.reduce(base) { $0.setting($1) }) { (node, taken, waiting) = (all, waiting, []) }
    // One after the other, until none of the rest fits: one may need another that comes later.
    var count = -1
    while count != waiting.count {
      count = waiting.count
      waiting.removeAll { entry in
        let trial = configuration.setting(entry)
        guard let built = try? build(trial) else { return false }
        (configuration, node) = (trial, built)
        taken.append(entry)
        return true
      }
    }
    node.logic.set = taken.map(\.text)
    node.warnings += complaints
    for entry in waiting {
      let why = problem(build, configuration.setting(entry))
      node.warnings.append("\(entry.origin.description): \(entry.text), set over the broker, is left out: \(why)")
    }
    return node
  }

  private func problem(
    _ build: (Configuration) throws(ConfigurationFailure) -> NodeConfiguration, _ configuration: Configuration
  ) -> String {
    do throws(ConfigurationFailure) {
      _ = try build(configuration)
      return "nothing is wrong with it"
    } catch {
      return error.problems.first?.text ?? "it does not fit"
    }
  }

  /// With one change, and what the node's configuration is then. What held until now holds on.
  ///
  /// - Parameter inForce: what holds of what was set, as the status says it.
  /// - Throws: why it is not made; nothing has changed then.
  func changed(
    _ setting: CommandMessage.Setting, inForce: [String], _ base: Configuration,
    _ build: (Configuration) throws(ConfigurationFailure) -> NodeConfiguration
  ) throws(ConfigurationRefusal) -> (settings: RemoteSettings, node: NodeConfiguration) {
    try RemoteKeys.check(setting.key)
    var changed = self
    changed.complaints = []
    var value: ConfigurationValue?
    if let wanted = setting.value {
      let checked = try NodeSchema.schema.checked(setting.key, wanted)
      try RemoteKeys.check(setting.key, checked)
      value = checked
    }
    changed.overlay.set(setting.key, value)
    let kept =
      overlay.entries.filter { inForce.contains($0.text) && $0.path != setting.key }
      + changed.overlay.entries.filter { $0.path == setting.key }
    do throws(ConfigurationFailure) {
      let node = try changed.applied(to: base, build)
      if kept.allSatisfy({ node.logic.set.contains($0.text) }) { return (changed, node) }
    } catch {
      throw ConfigurationRefusal(text: "not applied: \(error.problems.first?.description ?? "")")
    }
    let why = problem(build, kept.reduce(base) { $0.setting($1) })
    throw ConfigurationRefusal(text: "in conflict with another key: \(why)")
  }

  /// What holds of a key: of the shake detector also what comes from the preset.
  static func value(of path: String, in base: Configuration, _ settings: RemoteSettings, _ node: NodeConfiguration)
    -> SettingValue?
  {
    let entry = settings.overlay.entries.first { $0.path == path && node.logic.set.contains($0.text) }
    if let value = entry?.value ?? base.value(path) { return SettingValue(value) }
    guard path.hasPrefix("shake."), let key = ShakeSettings.Key(rawValue: String(path.dropFirst(6))) else {
      return nil
    }
    return node.logic.motion.map { .number($0.shake[key]) }
  }
}
