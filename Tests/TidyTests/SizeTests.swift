import Foundation
import Testing

@Suite("Sizes")
struct SizeTests {
  @Test("No file of code is too long")
  func files() {
    let code = SourceTree.texts.filter { $0.path.contains(#/\.(swift|c|cpp|h)$/#) }
    let complaints = code.compactMap(SizeRules.fileComplaint)
    #expect(complaints.isEmpty, "\(complaints.report)")
    #expect(code.count > 20)
  }

  @Test("No line of code, script or configuration is too long")
  func lines() {
    let code = SourceTree.texts.filter {
      $0.path.contains(#/\.(swift|c|cpp|h|toml|conf|service|rules|acl)$/#) || $0.isShellScript || $0.name == "Makefile"
    }
    let complaints = code.flatMap(SizeRules.lineComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("No function is too long")
  func functions() {
    let complaints = SourceTree.swift.flatMap(SizeRules.functionComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("Most functions are short")
  func median() {
    let median = SizeRules.medianFunctionLength(of: SourceTree.swiftSources)
    #expect((1...SizeRules.medianFunctionLines).contains(median), "median function length \(median)")
  }

  @Test("No file is large")
  func bytes() throws {
    for path in SourceTree.paths {
      let file = SourceTree.root.appendingPathComponent(path)
      let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      #expect(size <= SizeRules.fileBytes, "\(path) has \(size) bytes; at most \(SizeRules.fileBytes)")
    }
  }

  @Test("A long file is found, and one at the limit is not")
  func longFile() {
    let full = TextFile("A.swift", String(repeating: "//\n", count: SizeRules.fileLines))
    #expect(SizeRules.fileComplaint(of: full) == nil)
    let longer = TextFile("A.swift", String(repeating: "//\n", count: SizeRules.fileLines + 1))
    #expect(SizeRules.fileComplaint(of: longer)?.line == SizeRules.fileLines + 1)
  }

  @Test("A long line is found, counted in characters")
  func longLine() {
    let umlauts = String(repeating: "ü", count: SizeRules.columns)
    #expect(SizeRules.lineComplaints(of: TextFile("A.swift", umlauts)).isEmpty)
    #expect(SizeRules.lineComplaints(of: TextFile("A.swift", "\n\(umlauts)x")).map(\.line) == [2])
  }

  @Test("A long function is found, whatever its strings and comments hold")
  func longFunction() {
    let filler = String(repeating: "    // }\n", count: SizeRules.functionLines - 5)
    let text = #"""
      struct A {
        func short() { print("}") }
        func long(
          a: Int = 1
        ) -> String {
      \#(filler)
          /* } /* } */ } */
          let text = "}\("}" + "\(1)")"
          return """
            }
            """
        }
        var stored = 1
      }
      """#
    let file = SwiftFile("A.swift", text)
    #expect(file.functions.map(\.name) == ["short", "long"])
    #expect(file.functions.map(\.length) == [1, SizeRules.functionLines + 5])
    #expect(SizeRules.functionComplaints(of: file).map(\.line) == [3])
  }

  @Test("Initializers, subscripts and computed properties are measured; requirements and stored properties are not")
  func kinds() {
    let text = """
      protocol P {
        func required() -> Int
        init(a: Int)
      }
      struct A: P {
        private(set) var stored: Int
        var given: [Int] = []
        var computed: Int {
          1
        }
        public init(a: Int)
        where Int: Equatable
        {
          stored = a
        }
        subscript(i: Int) -> Int { given[i] }
        static func == (a: A, b: A) -> Bool { true }
      }
      """
    let found = SwiftFile("A.swift", text).functions
    #expect(found.map(\.length) == [3, 5, 1, 1])
    #expect(found.map(\.isFunction) == [false, true, true, true])
  }

  @Test("The median is of functions only")
  func medianOfFew() {
    let text = "func a() {\n}\nfunc b() {\n\n\n}\nfunc c() {}\nvar d: Int {\n\n\n\n\n  1\n}"
    #expect(SizeRules.medianFunctionLength(of: [SwiftFile("A.swift", text)]) == 2)
    #expect(SizeRules.medianFunctionLength(of: []) == 0)
  }
}
