import Glibc

/// libFuzzer's own loop (FuzzerDriver.cpp of LLVM's compiler-rt).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argc: UnsafeMutablePointer<Int32>, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Chosen once, before the first input; `nonisolated(unsafe)`, since libFuzzer has one thread here.
nonisolated(unsafe) private var target = FuzzTarget.json

/// `Fuzz TARGET [libFuzzer's options] [folder or file ...]`; without a target the list of targets.
///
/// SwiftPM on Linux takes `<Target>_main` for the program's entry.
@_cdecl("Fuzz_main")
public func fuzzMain(
  _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
  guard argc > 1, let name = argv[1], let chosen = FuzzTarget(rawValue: String(cString: name)) else {
    for target in FuzzTarget.allCases { puts(target.rawValue) }
    return argc > 1 ? 64 : 0
  }
  target = chosen
  // libFuzzer reads what is left; it reads the program's name first.
  argv[1] = argv[0]
  var count = argc - 1
  var arguments = argv + 1
  return runDriver(&count, &arguments) { bytes, length in
    let input = Array(UnsafeBufferPointer(start: bytes, count: length))
    if let complaint = target.complaint(about: input) {
      let line = Array("\(target.rawValue): \(complaint)\n".utf8)
      _ = write(STDERR_FILENO, line, line.count)
      abort()
    }
    return 0
  }
}
