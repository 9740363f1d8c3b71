internal import Glibc
struct FileErr: Error, CustomStringConvertible { let description: String }
func readSmallFile(_ p: String, limit: Int) throws(FileErr) -> [UInt8] {
  let d = open(p, O_RDONLY); guard d >= 0 else { throw FileErr(description: "cannot be read: \(SystemFailure.text(of: errno))") }
  defer { close(d) }; var o: [UInt8] = []; var c = [UInt8](repeating: 0, count: 65536)
  while true { let n = read(d, &c, c.count); if n <= 0 { return o }; o += c[..<n] } }
