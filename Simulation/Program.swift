import Glibc

/// Plays runs: `Simulate [--seeds N] [--from SEED] [--trace]`.
@main
enum Program {
  static func main() {
    var (seeds, first, isTraced) = (1000, UInt64(1), false)
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--trace": isTraced = true
      case "--seeds": seeds = arguments.popFirst().flatMap { Int($0) } ?? seeds
      case "--from": first = arguments.popFirst().flatMap { UInt64($0) } ?? first
      default:
        print("usage: Simulate [--seeds N] [--from SEED] [--trace]")
        exit(64)
      }
    }
    exit(Campaign(first: first, count: seeds, isTraced: isTraced).play() ? 0 : 1)
  }
}
