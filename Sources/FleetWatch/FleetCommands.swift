internal import Daemon
internal import Telemetry

/// The command line of judder-fleet: parser, help, completions and manual page come from this table.
enum FleetCommands {
  static let defaultFile = "/etc/judder/fleet.toml"

  static let table: CommandTable = {
    var table = CommandTable(
      program: "judder-fleet", summary: "watch a fleet of judder nodes and raise alerts", version: softwareVersion,
      description: description,
      commands: [watch, run, check, config] + HistoryCommands.commands + ControlCommands.commands,
      options: options + HistoryCommands.options + ControlCommands.options)
    table.environment = [
      .init("JUDDER_SECTION_KEY", "value of a key of the configuration, for example JUDDER_BROKER_HOST"),
      .init("JUDDER_PASSWORD", "password for the broker, where no file holds it"),
      .init("CREDENTIALS_DIRECTORY", "set by systemd: the credential broker-password is the password"),
      .init("NO_COLOR", "no colours"),
      .init("TERM", "dumb: lines instead of a screen"),
      .init("LC_ALL, LC_CTYPE, LANG", "not UTF-8: ASCII only on the screen"),
      .init("STATE_DIRECTORY", "set by systemd: the folder of the database, where store.file names none"),
      .init("NOTIFY_SOCKET, WATCHDOG_USEC", "set by systemd: readiness, state and watchdog"),
    ]
    table.files = [.init(defaultFile, "the configuration; it may be missing, then the defaults hold")]
    table.examples = [
      .init("judder-fleet watch -h broker.example", "see the fleet"),
      .init("judder-fleet watch --json | jq 'select(.kind == \"alert\")'", "hand alerts to another program"),
      .init("judder-fleet events --since 2h --stream shake", "what shook lately, from the history that run keeps"),
      .init("judder-fleet export --format gpx --node 'van-*' -o vans.gpx", "where the vans were"),
      .init("judder-fleet silence --site north --for 2h --comment works", "tell nobody of what goes on at a site"),
      .init("judder-fleet send pump-7 locate", "have a node say where it is"),
      .init("judder-fleet run", "raise alerts, as lines and on judder-fleet/alerts/..."),
    ]
    table.seeAlso = ["judder-node(8)", "mosquitto_sub(1)"]
    table.manualSection = 1
    return table
  }()

  private static let description = [
    "judder-fleet subscribes to every node under a prefix, keeps what is known about each, and raises alerts by rules: "
      + "a node shook, lost its position, or fell silent. Nothing that arrives stops it: what it cannot use is counted "
      + "by reason.",
    "The options for the broker are those of mosquitto_sub: -h is the host, help is --help.",
    "SIGTERM and SIGINT stop it cleanly. SIGHUP opens the files of its sinks again, and takes a new log level over.",
  ]

  private static let watch = Command(
    "watch", "show the fleet as it changes",
    details: [
      "Nodes and alerts on a terminal; a line for each change where standard output is none, or TERM is dumb; with "
        + "--json a line of JSON for each message, change and alert. It only looks: alerts are shown, and neither "
        + "published nor sent to sinks; where a fleet tool publishes them, it is its word that is shown.",
      "Keys: arrows or j and k move, Enter shows everything about a node, Tab goes between nodes and alerts, / "
        + "filters, o and O change the order, r turns it round, ! leaves only nodes with alerts, a acknowledges, s "
        + "silences, Escape goes back, ? shows all keys, q and Ctrl-C quit. Without a keyboard it is a table.",
    ])

  private static let run = Command(
    "run", "raise alerts until stopped",
    details: [
      "Alerts go to the sinks of the configuration; without any, to standard output and to <alerts_prefix>/alerts/..., "
        + "retained while they fire. With --json lines on standard output are JSON. One such process per fleet.",
      "Every event is kept in the database of store.file before anybody hears of it, and then acknowledged to its "
        + "node. After a restart it goes on where it ended: no alert is told twice, and the broker has kept what came.",
    ])

  private static let check = Command(
    "check", "look for everything that is needed, and say what is wrong",
    details: [
      "Reads the configuration, connects to the broker, subscribes and publishes. One line a finding: "
        + "ok, warning or problem, with what to do. It ends with 0 when all are ok, with 1 when there is a warning or "
        + "a problem, and with 78 when the configuration is wrong."
    ])

  private static let config = Command(
    "config", "print a configuration file with every key, its unit, range and default",
    details: ["The file changes nothing as it stands: take the # away from what you set."])

  /// mosquitto_sub's words for the versions, and the configuration's.
  static let versions = [
    "auto": "auto", "5": "5", "mqttv5": "5", "311": "3.1.1", "mqttv311": "3.1.1", "3.1.1": "3.1.1",
  ]

  private static let online = ["watch", "run", "check"] + ControlCommands.names

  private static let options: [CommandOption] = [
    .value(
      "config", "FILE", .file, commands: online + HistoryCommands.names, "the configuration; default \(defaultFile)"),
    .value("host", short: "h", "HOST", commands: online, "the broker").setting("broker.host"),
    .value("port", short: "p", "PORT", .integer(1...65535), commands: online, "its port").setting("broker.port"),
    .value("username", short: "u", "NAME", commands: online, "user name").setting("broker.username"),
    .value(
      "pw", short: "P", "PASSWORD", commands: online,
      "password, which every user of this machine can see: better use broker.password_file or JUDDER_PASSWORD"),
    .value(
      "id", short: "i", "ID", commands: online, "client id; default that of the host for run, else a new one each time"
    ).setting(
      "broker.client_id"),
    .value("keepalive", short: "k", "SECONDS", .integer(5...65535), commands: online, "longest silence before a ping")
      .setting("broker.keepalive_s"),
    .value(
      "protocol-version", short: "V", "VERSION", .choice(versions.keys.sorted()), commands: online, "version of MQTT"),
    .value("cafile", "FILE", .file, commands: online, "who may vouch for the broker, PEM; turns TLS on")
      .setting("broker.ca_file"),
    .value("capath", "FOLDER", .folder, commands: online, "a folder of such files").setting("broker.ca_path"),
    .value("cert", "FILE", .file, commands: online, "this client's certificate, PEM").setting(
      "broker.certificate_file"),
    .value("key", "FILE", .file, commands: online, "its private key, PEM").setting("broker.key_file"),
    .flag("insecure", commands: online, "take the broker's certificate whatever name it carries")
      .setting("broker.insecure", to: "true"),
    .flag("debug", short: "d", commands: online, "log the reason of every decision").setting("log.level", to: "debug"),
    .flag(
      "json", commands: ["watch", "run"] + ControlCommands.names + HistoryCommands.names.filter { $0 != "export" },
      "lines of JSON on standard output"),
    .value("waveforms", "DIR", .folder, commands: ["watch", "run"], "write each shake's waveform as CSV and miniSEED")
      .setting("waveform.directory"),
    .flag("no-color", commands: ["watch"], "no colours"),
    .assignment(commands: online + HistoryCommands.names),
    .flag("print-config", commands: ["check"], "print what is in force and where it comes from, and nothing else"),
  ]
}
