/// Which modules each target may import: DESIGN's arrows. Package.swift must declare no more, and the files may not
/// import more than this either, since SwiftPM itself does not object to every undeclared import.
enum Arrows {
  /// The system's C library, which is not a package target.
  static let system = "Glibc"

  static let allowed: [String: Set<String>] = [
    "CMosquitto": [], "CSQLite": [], "CCurl": [], "CMicrohttpd": [], "CLinux": [], "CTOML": [], "CTLS": [],
    "Telemetry": [],
    "Threading": ["CLinux", system],
    "NodeLogic": ["Telemetry"],
    "FleetLogic": ["Telemetry"],
    "Waveforms": ["Telemetry"],
    "Daemon": ["CLinux", "CTOML", "Telemetry", "Threading", system],
    "MQTT": ["CMosquitto", "CLinux", "CTLS", "Threading", system],
    "Spool": ["CLinux", "Threading", system],
    "SpoolWords": ["NodeLogic", "Spool", "Telemetry", system],
    "DiskFaults": ["Spool", system],
    "SpoolDrill": ["Spool", "Threading", system],
    "BrokerLink": ["Daemon", "MQTT", "Telemetry"],
    "Sensors": ["CLinux", "Telemetry", "Threading", "NodeLogic", "Daemon", system],
    "Sinks": ["CCurl", "CLinux", "Threading", "FleetLogic", "Telemetry", "Daemon", system],
    "WebServer": ["CMicrohttpd", "Threading", system],
    "Store": ["CSQLite", "FleetLogic", "Telemetry", "Threading", system],
    "NodeAgent": [
      "CLinux", "Telemetry", "Threading", "NodeLogic", "Daemon", "MQTT", "BrokerLink", "Sensors", "Spool",
      "SpoolWords", "Waveforms", system,
    ],
    "FleetWatch": [
      "CLinux", "Telemetry", "Threading", "FleetLogic", "Daemon", "MQTT", "BrokerLink", "Sinks", "Store", "Waveforms",
      "WebServer", system,
    ],
    "Rig": ["Foundation", "Glibc"],
    "Demo": ["Foundation", "Rig", "Telemetry", system],
    "Simulate": ["DiskFaults", "FleetLogic", "NodeLogic", "Rig", "Spool", "SpoolWords", "Telemetry", system],
    "MotionBenchmark": ["NodeLogic", "Telemetry", system],
    "StoreBenchmark": ["Daemon", "Store", "Telemetry", system],
    "LatencyBenchmark": ["Foundation", "Rig", "Telemetry", system],
    "FleetBenchmark": ["Daemon", "FleetLogic", "Telemetry", system],
  ]

  /// Targets that know nothing of the system. One file of each, Mathematics.swift, may import single functions.
  static let pure: Set<String> = ["Telemetry", "NodeLogic", "FleetLogic", "Waveforms"]

  static let mathematics: Set<String> = [
    "acos", "asin", "atan", "atan2", "cbrt", "ceil", "cos", "cosh", "erf", "exp", "exp2", "expm1", "floor", "fmod",
    "hypot", "log", "log10", "log1p", "log2", "lround", "nearbyint", "pow", "remainder", "rint", "round", "sin", "sinh",
    "sqrt", "tan", "tanh", "trunc",
  ]

  struct Import {
    let module: String
    /// `exp` in `import func Glibc.exp`; nil when the whole module is imported.
    let symbol: String?
    let line: Int
  }

  static func imports(of file: SwiftFile) -> [Import] {
    let pattern =
      #/
      ^\s*(?:@\w+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?
      import\s+(?:(func|struct|class|enum|var|let|typealias|protocol)\s+)?(\w+)(?:\.(\w+))?
      /#
    return file.code.enumerated().compactMap { index, line in
      guard let match = line.firstMatch(of: pattern) else { return nil }
      return Import(module: String(match.2), symbol: match.3.map(String.init), line: index)
    }
  }

  /// Imports that a file of `Sources` may not have.
  static func complaints(of file: SwiftFile) -> [Complaint] {
    guard let target = file.file.target else { return [] }
    guard let allowed = allowed[target] else {
      return [file.complaint(0, "the target \(target) is not in the table of arrows: say what it may import")]
    }
    return imports(of: file).compactMap { item in
      if allowed.contains(item.module) { return nil }
      if pure.contains(target), item.module == system {
        return mathematicsComplaint(item, file)
      }
      return file.complaint(item.line, "\(target) may not import \(item.module)")
    }
  }

  private static func mathematicsComplaint(_ item: Import, _ file: SwiftFile) -> Complaint? {
    if file.file.name == "Mathematics.swift", let symbol = item.symbol, mathematics.contains(symbol) { return nil }
    return file.complaint(
      item.line, "a pure target imports nothing of the system but single functions of mathematics, in Mathematics.swift"
    )
  }

  /// A library's face anywhere but in the one target that it is for, and that target's tests.
  static func libraryComplaints(of file: SwiftFile) -> [Complaint] {
    let homes = [("CMosquitto", "MQTT"), ("CSQLite", "Store"), ("CCurl", "Sinks"), ("CMicrohttpd", "WebServer")]
    return homes.flatMap { library, home -> [Complaint] in
      if file.path.hasPrefix("Sources/\(home)/") || file.path.hasPrefix("Tests/\(home)Tests/") { return [] }
      return imports(of: file).filter { $0.module == library }
        .map { file.complaint($0.line, "only \(home) imports \(library)") }
    }
  }

  /// The targets that Package.swift declares with `library` or `program`, on one line or on several, and their
  /// dependencies.
  static func declared(in manifest: TextFile) -> [String: Set<String>] {
    let pattern = #/\b(?:library|program|benchmark)\(\s*"(\w+)"(?:,\s*\[([^\]]*)\])?(?:,\s*path: "[^"]*")?\s*\)/#
    let declarations = manifest.text.matches(of: pattern).map { match -> (String, Set<String>) in
      let names = (match.2 ?? "").split(separator: ",").map { $0.trimming(["\"", " ", "\n"]) }
      // A list over several lines ends with a comma.
      return (String(match.1), Set(names).subtracting([""]))
    }
    return Dictionary(uniqueKeysWithValues: declarations)
  }

  /// Everything that a target links, itself included, over the declared dependencies.
  static func closure(of target: String, in declared: [String: Set<String>]) -> Set<String> {
    var reached: Set<String> = []
    var open = [target]
    while let next = open.popLast() {
      if reached.insert(next).inserted { open.append(contentsOf: declared[next] ?? []) }
    }
    return reached
  }
}

extension Substring {
  /// Without those characters at both ends.
  func trimming(_ characters: Set<Character>) -> String {
    var text = self
    while let first = text.first, characters.contains(first) { text.removeFirst() }
    while let last = text.last, characters.contains(last) { text.removeLast() }
    return String(text)
  }
}
