internal import Daemon
internal import NodeLogic
internal import Telemetry

/// The command line of judder-node: parser, help, completions and manual page come from this table.
enum NodeCommands {
  static let defaultFile = "/etc/judder/node.toml"

  static let table: CommandTable = {
    var table = CommandTable(
      program: "judder-node", summary: "publish shakes, orientation and location over MQTT",
      version: softwareVersion, description: description, commands: [run, check, replay, config], options: options)
    table.environment = [
      .init("JUDDER_SECTION_KEY", "value of a key of the configuration, for example JUDDER_BROKER_HOST"),
      .init("JUDDER_PASSWORD", "password for the broker, where no file holds it"),
      .init("CREDENTIALS_DIRECTORY", "set by systemd: the credential broker-password is the password"),
      .init("NOTIFY_SOCKET, WATCHDOG_USEC", "set by systemd: readiness, state and watchdog"),
    ]
    table.files = [.init(defaultFile, "the configuration; it may be missing, then the defaults hold")]
    table.examples = [
      .init("judder-node check", "say what is found, and what is wrong, before anything runs for years"),
      .init("judder-node run --set accelerometer.source=simulated", "try it without a sensor"),
      .init("judder-node replay --preset fixed recording.csv", "see what would have been published"),
    ]
    table.seeAlso = ["judder-fleet(1)", "mosquitto_sub(1)", "gpsd(8)"]
    return table
  }()

  private static let description = [
    "judder-node reads an accelerometer (Linux IIO) and gpsd, filters on the device, and publishes acceleration, "
      + "shakes, orientation, location, status and health as JSON to an MQTT broker. It goes on measuring while the "
      + "broker is away, and comes back by itself.",
    "SIGTERM and SIGINT stop it cleanly, SIGHUP reads the configuration again.",
  ]

  private static let run = Command("run", "measure and publish until stopped")

  private static let check = Command(
    "check", "look for everything that is needed, and say what is wrong",
    details: [
      "Reads the configuration, finds the sensor, asks gpsd, connects and publishes to the broker. One line a finding, "
        + "with what to do. It ends with 1 when anything is wrong.",
      "The trial message goes to PREFIX/NODE/check. Its client id is that of the node with -check behind it; a broker "
        + "that makes the client id of the user name disconnects the running node for a moment.",
    ])

  private static let replay = Command(
    "replay", "run a recording through the whole pipeline",
    details: [
      "FILE has the columns t [s], x, y, z [g], and is played as fast as it computes. Each message is printed as one "
        + "line {\"topic\":...,\"payload\":{...}}; its t is the file's t.",
      "With --waveforms the samples of each shake, from a second before it to its end, become DIR/NODE-BOOT-ID.csv and "
        + ".mseed, where BOOT is 00000000 in a replay. A file that is there already is never overwritten: the replay "
        + "ends. In miniSEED one count is 1e-6 g.",
    ],
    operands: [Command.Operand("FILE", .file)])

  private static let config = Command(
    "config", "print a configuration file with every key, its unit, range and default",
    details: ["The file changes nothing as it stands: take the # away from what you set."])

  /// The commands that read a configuration.
  private static let reading = ["run", "check", "replay"]

  private static let options: [CommandOption] = [
    .value("config", "FILE", .file, commands: reading, "the configuration; default \(defaultFile)"),
    .assignment(commands: reading),
    .value("preset", "PRESET", .choice(ShakePreset.allCases.map(\.rawValue)), commands: ["replay"], "the shake preset")
      .setting("shake.preset"),
    .value("waveforms", "DIR", .folder, commands: ["replay"], "write each shake's waveform as CSV and miniSEED"),
    .value(
      "network", "CODE", commands: ["replay"], "network code in miniSEED files, one or two characters; default XX"),
    .flag("print-config", commands: ["check"], "print what is in force and where it comes from, and nothing else"),
  ]
}
