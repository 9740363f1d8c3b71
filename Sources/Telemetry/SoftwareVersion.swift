/// The version of this software, as `--version` prints it and as `status` carries it.
public let softwareVersion = "0.1.0"
