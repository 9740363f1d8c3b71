import Daemon

@testable import FleetWatch
@testable import NodeAgent

/// Whatever stands in node.toml: settings, or one line for each thing that is wrong.
func checkNodeConfiguration(_ bytes: [UInt8]) throws(Violation) {
  try check(NodeSchema.schema, bytes) { (configuration) throws(ConfigurationFailure) in
    try NodeConfiguration(configuration, environment: [:], hostName: "pump-7").warnings
  }
}

/// Whatever stands in fleet.toml.
func checkFleetConfiguration(_ bytes: [UInt8]) throws(Violation) {
  try check(FleetSchema.schema, bytes) { (configuration) throws(ConfigurationFailure) in
    try FleetConfiguration(configuration, clientID: "fleet", password: nil, environment: [:]).warnings
  }
}

private func check(
  _ schema: ConfigurationSchema, _ bytes: [UInt8],
  _ use: (Configuration) throws(ConfigurationFailure) -> [String]
) throws(Violation) {
  // Files that a password or a certificate is read from are the machine's, and no business of these bytes.
  if String(decoding: bytes, as: UTF8.self).contains("_file") { return }
  let lines: [String]
  do throws(ConfigurationFailure) {
    let configuration = try Configuration.load(schema, text: bytes, file: "judder.toml")
    lines = configuration.describe() + (try use(configuration))
    try? require(configuration.changes(from: configuration).isEmpty, "differs from itself")
  } catch {
    lines = error.problems.map(\.description)
    try require(!lines.isEmpty, "refused without a reason")
  }
  // What may be long are values that stand in the file: they are shown, never more than once a line.
  for line in lines { try requirePrintable(line, longest: 4000 + 8 * bytes.count) }
}
