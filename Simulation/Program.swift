import Glibc

/// Plays runs.
@main
enum Program {
  private static let usage =
    "usage: Simulate [--seeds N] [--from SEED] [--short] [--trace] [--mutation \(Mutation.names)]"

  static func main() {
    var campaign = Campaign(first: 1, count: 1000, isTraced: false)
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--trace": campaign.isTraced = true
      case "--short": campaign.isShort = true
      case "--seeds": campaign.count = number(&arguments)
      case "--from": campaign.first = UInt64(number(&arguments))
      case "--mutation":
        guard let mutation = arguments.popFirst().flatMap({ Mutation(rawValue: $0) }) else { refuse() }
        campaign.mutation = mutation
      default: refuse()
      }
    }
    exit(campaign.play() ? 0 : 1)
  }

  private static func number(_ arguments: inout ArraySlice<String>) -> Int {
    guard let number = arguments.popFirst().flatMap({ Int($0) }), number > 0 else { refuse() }
    return number
  }

  private static func refuse() -> Never {
    say(usage)
    exit(64)
  }
}

extension Mutation {
  fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: "|") }
}
