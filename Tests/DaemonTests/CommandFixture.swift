import Daemon

/// A command line with one option of each kind.
let commandTable: CommandTable = {
  var table = CommandTable(
    program: "judder-node", summary: "publish motion and position over MQTT", version: "0.1.0",
    description: ["Reads an accelerometer and gpsd.", "Publishes what it finds out, 'quoted' and with a \\ in it."],
    commands: [
      Command("run", "run until stopped"),
      Command("check", "check the configuration and everything it names", details: ["Exits 1 on any finding."]),
      Command(
        "replay", "run a recording through the detectors",
        operands: [Command.Operand("FILE", .file), Command.Operand("MORE", .file, isOptional: true, isRepeated: true)]),
    ],
    options: [
      .value("config", short: "c", "FILE", .file, commands: ["run", "check"], "the configuration file"),
      .value("host", short: "h", "HOST", commands: ["run", "check"], "the broker").setting("broker.host"),
      .value("port", short: "p", "PORT", .integer(1...65535), commands: ["run", "check"], "the broker's port")
        .setting("broker.port"),
      .value("preset", "NAME", .choice(["handheld", "fixed"]), commands: ["replay"], "the detector's values"),
      .value("rate", "HZ", .number(0.5...100), commands: ["replay"], "samples a second"),
      .value("spool", "FOLDER", .folder, commands: ["run"], "where events are kept"),
      .flag("debug", short: "d", "say more").setting("accelerometer.source", to: "none"),
      .flag("json", short: "j", commands: ["run", "replay"], "one line of JSON [for programs]: each"),
      .assignment(commands: ["run", "check"]),
    ])
  table.environment = [CommandTable.Entry("JUDDER_PASSWORD", "the broker's password")]
  table.files = [CommandTable.Entry("/etc/judder/node.toml", "the configuration")]
  table.examples = [CommandTable.Entry("judder-node check --config node.toml", "Look before you run:")]
  table.seeAlso = ["mosquitto_sub(1)"]
  return table
}()

/// What is wrong with a command line, or `fine`.
func usageError(_ arguments: String...) -> String {
  do {
    _ = try commandTable.parse(arguments)
    return "fine"
  } catch {
    return error.description
  }
}
