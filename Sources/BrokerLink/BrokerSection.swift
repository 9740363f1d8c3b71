public import Daemon

/// The `[broker]` table of both programs' configuration: how the broker is reached.
public enum BrokerSection {
  /// The name of the section in either configuration file.
  public static let name = "broker"

  /// - Parameters:
  ///   - clientID: what the client id is when none is set, for people.
  ///   - reconnectSpreadS: the default of `reconnect_spread_s`: 0 for a program of which there is one.
  public static func section(clientID: String, reconnectSpreadS: Double) -> ConfigurationSection {
    ConfigurationSection(
      name, summary: "The MQTT broker, and how the connection to it is protected.",
      address(clientID: clientID) + credentials + security + timing(reconnectSpreadS))
  }

  private static func address(clientID: String) -> [ConfigurationKey] {
    [
      .text("host", default: "localhost", "Name or address of the broker."),
      .integer("port", 1...65535, note: "1883, or 8883 with TLS", "TCP port of the broker."),
      .choice(
        "version", ["auto", "5", "3.1.1"], default: "auto",
        "Version of MQTT. auto tries 5 and falls back to 3.1.1 where the broker refuses it."),
      .text("client_id", note: clientID, "Client id. Two clients with the same one throw each other out."),
    ]
  }

  private static let credentials: [ConfigurationKey] = [
    .text("username", note: "no user name", "User name."),
    .path(
      "password_file",
      note: "the credential broker-password of systemd, else the variable JUDDER_PASSWORD, else no password",
      "File that holds the password, and nothing else. Keep it readable by the agent alone."),
  ]

  private static let security: [ConfigurationKey] = [
    .flag(
      "tls", note: "on when any of the certificate files below is set",
      "Encrypt the connection, and trust the broker by its certificate."),
    .path("ca_file", note: "the authorities this system trusts", "PEM file of who may vouch for the broker."),
    .path("ca_path", note: "the authorities this system trusts", "Folder of such files, hashed by openssl rehash."),
    .path("certificate_file", note: "no client certificate", "PEM file of this client's own certificate."),
    .path("key_file", note: "no client certificate", "PEM file of its private key, without a passphrase."),
    .path(
      "psk_file", note: "no shared key",
      "File with one line IDENTITY:KEY, the key in hexadecimal digits: TLS by a shared key, without certificates."),
    .text(
      "server_name", note: "the host", "Name that the broker's certificate must carry. It has to be the host as well."),
    .flag(
      "insecure", default: false,
      "Take the broker's certificate whatever name it carries. Anybody with a certificate of the same authority can "
        + "then pose as the broker."),
  ]

  private static func timing(_ reconnectSpreadS: Double) -> [ConfigurationKey] {
    [
      .integer(
        "keepalive_s", 5...65535, unit: "s", default: 120,
        "Longest silence before a ping. A dead link is noticed within one and a half of it. Keep it below the time "
          + "after which the network forgets idle connections."),
      .number(
        "retry_max_s", 0.1...3600, unit: "s", default: 100,
        "Longest wait between two tries to connect. The waits grow from a second to this, and are short again after a "
          + "connection that lasted a minute."),
      .number(
        "reconnect_spread_s", 0...3600, unit: "s", default: reconnectSpreadS,
        "After the broker ended the connection, the first try to connect comes at a random moment within this time, "
          + "and each later one between once and twice this time after the last, so that a fleet does not come back "
          + "in the same second: with 40 s, some 2.5 % a second. 0: a second or so, then longer and longer."),
    ]
  }
}
