internal import Daemon
internal import NodeLogic
internal import Telemetry

/// The command line of judder-node: parser, help, completions and manual page come from this table.
enum NodeCommands {
  static let defaultFile = "/etc/judder/node.toml"

  static let table: CommandTable = {
    var table = CommandTable(
      program: "judder-node", summary: "publish shakes, orientation and location over MQTT",
      version: softwareVersion, description: description,
      commands: [run, check, tap, fix, record, replay, calibrate, simulate, config],
      options: options)
    table.environment = [
      .init("JUDDER_SECTION_KEY", "value of a key of the configuration, for example JUDDER_BROKER_HOST"),
      .init("JUDDER_PASSWORD", "password for the broker, where no file holds it"),
      .init("CREDENTIALS_DIRECTORY", "set by systemd: the credential broker-password is the password"),
      .init("TERM", "where it is dumb or not set, tap and fix print lines on a terminal too"),
      .init("STATE_DIRECTORY", "set by systemd: where the spool and the record of the location are by default"),
      .init("NOTIFY_SOCKET, WATCHDOG_USEC", "set by systemd: readiness, state and watchdog"),
    ]
    table.files = [
      .init(defaultFile, "the configuration; it may be missing, then the defaults hold"),
      .init(
        "$STATE_DIRECTORY/settings.toml",
        "what was set over the broker, for run and check: it goes before everything else; without STATE_DIRECTORY in "
          + "the folder of spool.directory"),
    ]
    table.examples = [
      .init("judder-node check", "say what is found, and what is wrong, before anything runs for years"),
      .init("judder-node tap", "see the sensor and the detectors at work, without a broker"),
      .init("judder-node fix", "see what gpsd says, what would be published, and why the rest would not"),
      .init("judder-node calibrate --positions 6", "scale, offset and mount matrix, as lines to paste"),
      .init("judder-node record --seconds 60 shaken.csv", "keep a minute of samples, for replay"),
      .init("judder-node run --set accelerometer.source=simulated", "try it without a sensor"),
      .init("judder-node simulate --nodes 200 --statistics", "a load of 200 nodes for a broker on this machine"),
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
      "Reads the configuration, tries the spool and the place of the location's record, finds the sensor, asks gpsd, "
        + "holds fences against the fix, looks at the clock, connects and publishes to the broker. One line a finding: "
        + "ok, warning or problem, with what to do. It ends with 0 when all are ok, with 1 when there is a warning or "
        + "a problem, and with 78 when the configuration is wrong.",
      "The trial message goes to PREFIX/NODE/check. Its client id is that of the node with -check behind it; a broker "
        + "that makes the client id of the user name disconnects the running node for a moment.",
    ])

  private static let tap = Command(
    "tap", "show the sensor and the detectors at work",
    details: [
      "On a terminal: bars of x, y, z, the length and the activity, drawn ten times a second, with the "
        + "shake detector's level in the middle of the last one. Elsewhere a line a second and one for each event, or "
        + "JSON with --json.",
      "It needs neither broker nor gpsd. A buffer of the kernel has one reader: while judder-node run has the sensor, "
        + "tap polls it where the driver allows that, and says that it is busy where not.",
    ])

  private static let fix = Command(
    "fix", "show what gpsd says, what would be published, and why",
    details: [
      "On a terminal: gpsd and its receivers, the last report, the decision about the last fix with its reason, how "
        + "far and how long it is to the next message, whether the node stands or moves, what a loss waits for, "
        + "fences, counts, and the last decisions. Elsewhere a line for each decision, refusal, loss and change at "
        + "gpsd, and one after => for each message that would be published; or JSON with --json: "
        + "{\"up\":...,\"event\":...} for what was decided or changed, "
        + "{\"topic\":...,\"payload\":{...}} for a message.",
      "Nothing is published, and no broker is needed. gpsd has room for many clients, so that this works beside a "
        + "node that runs. The accelerometer takes part in the decision about drift where it can be read; where "
        + "judder-node run has it, that is said, and drift is judged by speed and accuracy alone.",
      "It ends after --seconds, or with SIGINT or SIGTERM, with a line of counts on standard error; with 69 when gpsd "
        + "did not answer in all the seconds.",
    ])

  private static let record = Command(
    "record", "write samples to a file that replay and calibrate read",
    details: [
      "FILE gets the columns t [s since 1970], x, y, z [g]; - is standard output. Missing samples are a hole in t. "
        + "It ends after --seconds, or with SIGINT or SIGTERM, and everything is in the file then. A full disk ends it "
        + "with 75."
    ],
    operands: [Command.Operand("FILE", .file)])

  private static let calibrate = Command(
    "calibrate", "measure the sensor's noise and errors",
    details: [
      "At rest: keep the node still for --seconds (30). It prints offset, noise, its density and Allan deviation, and "
        + "the least threshold for the preset fixed: four times the noise in its band. It ends with 1 when the node "
        + "was not still.",
      "With --positions 6: put the node with each of its sides up in turn, and let go of each for --seconds (3). It "
        + "asks for one after the other, z+ z- x+ x- y+ y-; from the third on any order is right, because it knows "
        + "which side it got. What it prints belongs into the configuration file: mount_matrix, scale_correction, "
        + "offset_g. They replace those that are there, because it measures along the sensor's own axes.",
      "With --from it reads a recording instead. For six positions that is one file with six still stretches, made "
        + "with record --sensor-axes: the first is z+, the first at a right angle to it x+.",
    ])

  private static let replay = Command(
    "replay", "run a recording through the whole pipeline",
    details: [
      "FILE has the columns t [s], x, y, z [g], and is played as fast as it computes. Each message is printed as one "
        + "line {\"topic\":...,\"payload\":{...}}; its t is the file's t. Standard error gets a line of counts, and "
        + "what looks as if it were in other units.",
      "With --waveforms the samples of each shake, from a second before it to its end, become DIR/NODE-BOOT-ID.csv and "
        + ".mseed, where BOOT is 00000000 in a replay. A file that is there already is never overwritten: the replay "
        + "ends. In miniSEED one count is 1e-6 g.",
    ],
    operands: [Command.Operand("FILE", .file)])

  private static let simulate = Command(
    "simulate", "play many nodes against a broker, as a load or by a script",
    details: [
      "Each of --nodes has its own name, session, will and boot, and is a real node but for its sensor and receiver, "
        + "which are made up from --seed: a node that lies still, with a fix each second. Nothing is kept on a disk, "
        + "and FILE of --config, where there is one, holds for all of them.",
      "With --script they are shaken, lose their fix, drive away, die, hang and come back at the times that FILE says; "
        + "it begins when all are connected. docs/OPERATIONS.md describes it. Without --duration it goes on until "
        + "SIGINT or SIGTERM, which stop the nodes in order.",
      "A node takes six descriptors and a thread here, one descriptor at the broker: raise the limit of both "
        + "(ulimit -n) for more than some hundreds.",
    ])

  private static let config = Command(
    "config", "print a configuration file with every key, its unit, range and default",
    details: ["The file changes nothing as it stands: take the # away from what you set."])

  /// The commands that read a configuration.
  private static let reading = ["run", "check", "tap", "fix", "record", "replay", "calibrate", "simulate"]

  private static let crowd = ["simulate"]

  private static let options: [CommandOption] = [
    .value("config", "FILE", .file, commands: reading, "the configuration; default \(defaultFile)"),
    .assignment(commands: reading),
    .value(
      "preset", "PRESET", .choice(ShakePreset.allCases.map(\.rawValue)), commands: ["tap", "replay", "simulate"],
      "the shake preset"
    ).setting("shake.preset"),
    .value(
      "seconds", "N", .number(0.1...86_400), commands: ["tap", "fix", "record", "calibrate"],
      "end after so long; calibrate: how long to keep still"),
    .flag("json", commands: ["tap", "fix"], "one object of JSON a line"),
    .flag("force", commands: ["record"], "overwrite FILE"),
    .flag(
      "sensor-axes", commands: ["record"], "without mount matrix and correction, as calibrate --positions wants it"),
    .value("positions", "6", .choice(["6"]), commands: ["calibrate"], "calibrate with each of the six sides up"),
    .value("from", "RECORDING", .file, commands: ["calibrate"], "read a recording instead of the sensor"),
    .value(
      "bandwidth", "HZ", .number(0.1...10_000), commands: ["calibrate"],
      "of the sensor's filter, for the noise density; default half the measured rate"),
    .value("waveforms", "DIR", .folder, commands: ["replay"], "write each shake's waveform as CSV and miniSEED"),
    .value(
      "network", "CODE", commands: ["replay"], "network code in miniSEED files, one or two characters; default XX"),
    .value("nodes", "N", .integer(SimulateCommand.nodeRange), commands: crowd, "how many nodes; default 1"),
    .value("name-prefix", "TEXT", commands: crowd, "their names without the number; default sim-"),
    .value("script", "FILE", .file, commands: crowd, "what they go through, TOML"),
    .value("duration", "SECONDS", .number(0...1e7), commands: crowd, "end so long after all are connected"),
    .value("seed", "N", .integer(0...Int.max), commands: crowd, "of sensors, receivers and homes; default 1"),
    .value("rate-hz", "HZ", .number(1...1000), commands: crowd, "sampling rate of each; default 25").setting(
      "accelerometer.rate_hz"),
    .value("starts-per-s", "N", .number(0.1...10_000), commands: crowd, "nodes started in a second; default 100"),
    .flag("statistics", commands: crowd, "a line at the end: what was published, acknowledged, refused"),
    .value("host", short: "h", "HOST", commands: crowd, "the broker").setting("broker.host"),
    .value("port", short: "p", "PORT", .integer(1...65535), commands: crowd, "its port").setting("broker.port"),
    .value("username", short: "u", "NAME", commands: crowd, "user name").setting("broker.username"),
    .value(
      "pw", short: "P", "PASSWORD", commands: crowd,
      "password, which every user of this machine can see: better use broker.password_file or JUDDER_PASSWORD"),
    .value("keepalive", short: "k", "SECONDS", .integer(5...65535), commands: crowd, "longest silence before a ping")
      .setting("broker.keepalive_s"),
    .value("cafile", "FILE", .file, commands: crowd, "who may vouch for the broker, PEM; turns TLS on")
      .setting("broker.ca_file"),
    .value("capath", "FOLDER", .folder, commands: crowd, "a folder of such files").setting("broker.ca_path"),
    .flag("insecure", commands: crowd, "take the broker's certificate whatever name it carries")
      .setting("broker.insecure", to: "true"),
    .flag("debug", short: "d", commands: crowd, "log what each node would").setting("log.level", to: "debug"),
    .flag("print-config", commands: ["check"], "print what is in force and where it comes from, and nothing else"),
  ]
}
