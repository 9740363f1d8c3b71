internal import Daemon
internal import NodeLogic
internal import Telemetry

// What is set over the broker.
extension Agent {
  /// Says what does not come from the file, so that nobody wonders.
  func sayWhatIsSet() {
    let set = configuration.logic.set
    guard !set.isEmpty else { return }
    let place = settings.file.map { " (\($0))" } ?? ""
    log.notice("set over the broker\(place): \(set.map { printableLine($0) }.joined(separator: ", "))")
  }

  /// Gives a key another value, as a reload would, and answers when it is on the disk.
  func set(_ command: CommandMessage) {
    guard let setting = command.setting else { return answer(refusal(of: command, "it names no key")) }
    guard stopDeadline == nil else { return answer(refusal(of: command, "the node is being stopped")) }
    do throws(ConfigurationRefusal) {
      let (new, node) = try settings.changed(setting, inForce: configuration.logic.set, base, source.node)
      let before = RemoteSettings.value(of: setting.key, in: base, settings, configuration)
      let after = RemoteSettings.value(of: setting.key, in: base, new, node)
      settings = new
      apply(node)
      log.notice(
        "\(setting.key) was \(text(before)) and is \(text(after)), set over the broker by \(asker(of: command))")
      let change = ReplyMessage.Change(setting.key, from: before, to: after, isKept: false)
      guard let file = settings.file, let settingsFile else {
        // What the file says holds again, also over a restart.
        if setting.value == nil {
          let back = ReplyMessage.Change(setting.key, from: before, to: after, isKept: true)
          return answer(done(command, back, note: nil))
        }
        let note = "it holds until the node is started anew: it has no state directory and no spool.directory"
        return answer(done(command, change, note: note))
      }
      settingsFile.write(settings.bytes) { [unowned self] problem in
        var change = change
        change.isKept = problem == nil
        if let problem { log.warning("\(file) \(problem)") }
        let note = problem.map { "it holds until the node is started anew: \(file) \($0)" }
        answer(done(command, change, note: note))
      }
    } catch {
      answer(refusal(of: command, error.text))
    }
  }

  private func answer(_ reply: ReplyMessage) { hand(.answered(reply)) }

  private func done(_ command: CommandMessage, _ change: ReplyMessage.Change, note: String?) -> ReplyMessage {
    var reply = ReplyMessage(id: command.id, command.verb, isDone: true)
    reply.change = change
    reply.note = note
    return reply
  }

  private func refusal(of command: CommandMessage, _ reason: String) -> ReplyMessage {
    ReplyMessage(id: command.id, command.verb, isDone: false, reason: reason)
  }

  private func asker(of command: CommandMessage) -> String {
    let id = SafeText.escaped(command.id, limit: 64)
    return command.author.map { "\(SafeText.escaped($0, limit: 100)) (\(id))" } ?? "command \(id)"
  }

  private func text(_ value: SettingValue?) -> String {
    switch value {
    case nil: "not set"
    case .number(let number): ConfigurationValue.number(number).toml
    case .text(let text): printableLine(ConfigurationValue.text(text).toml)
    case .flag(let flag): "\(flag)"
    }
  }
}
