internal import Daemon

/// Where a node's configuration comes from: command line, environment and file; read as often as it is asked.
struct NodeSource {
  let source: ConfigurationSource
  /// Nil: there is none.
  let file: String?
  let flags: [ConfigurationOverride]
  let hostName: String

  /// What people wrote, without what was set over the broker.
  func read() throws(ConfigurationFailure) -> Configuration { try source.read(file: file, flags: flags) }

  /// The configuration in the shapes that the parts take.
  func node(_ configuration: Configuration) throws(ConfigurationFailure) -> NodeConfiguration {
    try NodeConfiguration(configuration, environment: source.environment, hostName: hostName)
  }

  /// What is kept of what was set over the broker: a file beside the spool, in the first folder that systemd gives
  /// this service for its state, or in that of the spool itself; none where there is neither.
  func settings(_ configuration: Configuration) -> RemoteSettings {
    let folder =
      source.environment["STATE_DIRECTORY"]?.split(separator: ":").first.map(String.init)
      ?? SpoolSettings(configuration, source.environment)?.directory
    return RemoteSettings(file: folder.map { "\($0)/settings.toml" })
  }

  /// Everything, as a node that starts now would take it.
  func load() throws(ConfigurationFailure) -> NodeConfiguration {
    let base = try read()
    return try settings(base).applied(to: base) { (configuration) throws(ConfigurationFailure) in
      try node(configuration)
    }
  }
}
