import NodeLogic
import Testing

@Suite("Scan layout")
struct ScanLayoutTests {
  private func layout(
    _ type: String, timestamp: String? = "le:s64/64>>0", others: [ScanLayout.Channel] = []
  ) throws -> ScanLayout {
    let element = try ScanElement(parsing: type)
    var channels: [ScanLayout.Channel] = [.init(.z, index: 2, element), .init(.x, index: 0, element)]
    channels.append(.init(.y, index: 1, element))
    if let timestamp { channels.append(.init(.timestamp, index: 9, try ScanElement(parsing: timestamp))) }
    return try ScanLayout(channels + others)
  }

  @Test func twelveBitsLeftAlignedAsOnTheLIS3DH() throws {
    let layout = try layout("le:s12/16>>4")
    #expect(layout.size == 16)
    let bytes: [UInt8] = [
      0xf0, 0x7f, 0x00, 0x80, 0xff, 0xff, 0xaa, 0xaa, 0x15, 0xcd, 0x5b, 0x07, 0, 0, 0, 0,
    ]
    // The four low bits are not part of the value: 0xffff is -1.
    #expect(layout.decode(bytes) == RawScan(x: 2047, y: -2048, z: -1, timestampNs: 123_456_789))
  }

  @Test func twentyFourBytesAsOfAHIDSensor() throws {
    let layout = try layout("le:s16/32>>0")
    #expect(layout.size == 24)
    let bytes: [UInt8] = [
      0xd8, 0x03, 0, 0, 0x28, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0, 0, 9, 9, 9, 9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff,
    ]
    #expect(layout.decode(bytes) == RawScan(x: 984, y: -984, z: 32767, timestampNs: -2))
  }

  @Test func bigEndian() throws {
    let layout = try layout("be:s16/16>>0", timestamp: nil)
    #expect(layout.size == 6 && !layout.hasTimestamp)
    #expect(layout.decode([0x40, 0x00, 0xc0, 0x00, 0x00, 0x01]) == RawScan(x: 16384, y: -16384, z: 1))
  }

  @Test func unsignedAndBytesAndWide() throws {
    #expect(try layout("le:u8/8", timestamp: nil).decode([1, 128, 255]) == RawScan(x: 1, y: 128, z: 255))
    #expect(try layout("le:s8/8", timestamp: nil).decode([1, 128, 255]) == RawScan(x: 1, y: -128, z: -1))
    #expect(
      try layout("be:u14/16>>2", timestamp: nil).decode([0xff, 0xff, 0, 4, 0, 3]) == RawScan(x: 16383, y: 1, z: 0))
    let wide = try layout("be:u64/64", timestamp: nil)
    #expect(wide.decode([UInt8](repeating: 0xff, count: 24)) == RawScan(x: .max, y: .max, z: .max))
    let s64 = try layout("be:s64/64", timestamp: nil)
    #expect(s64.decode([UInt8](repeating: 0xff, count: 24)) == RawScan(x: -1, y: -1, z: -1))
  }

  @Test func aRepeatedElementTakesItsRoomAndTheFirstIsTheValue() throws {
    let layout = try layout("le:s16/16X2>>0", timestamp: nil)
    #expect(layout.size == 12)
    #expect(layout.decode([1, 0, 9, 9, 2, 0, 9, 9, 3, 0, 9, 9]) == RawScan(x: 1, y: 2, z: 3))
  }

  // libiio #71
  @Test func anotherChannelTakesRoomAndAlignment() throws {
    let other = ScanLayout.Channel(.other("temp"), index: 5, try ScanElement(parsing: "le:s32/32"))
    let layout = try layout("le:s16/16", timestamp: nil, others: [other])
    #expect(layout.size == 12, "6 bytes of axes, 2 of padding, 4 of temperature")
    let withTime = try self.layout("le:s16/16", others: [other])
    #expect(withTime.size == 24, "the timestamp starts at 16")
  }

  // libiio #324
  @Test func theWholeIsPaddedToItsLargestElement() throws {
    let element = try ScanElement(parsing: "le:s16/16")
    let layout = try ScanLayout([
      .init(.timestamp, index: 0, try ScanElement(parsing: "le:s64/64>>0")), .init(.x, index: 1, element),
      .init(.y, index: 2, element), .init(.z, index: 3, element),
    ])
    #expect(layout.size == 16, "8 bytes of timestamp, 6 of axes, 2 of padding")
    #expect(
      layout.decode([7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 3, 0, 0, 0]) == RawScan(x: 1, y: 2, z: 3, timestampNs: 7))
  }

  @Test func scansFollowEachOtherAndABrokenOneIsNoScan() throws {
    let layout = try layout("le:s8/8", timestamp: nil)
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    bytes.withUnsafeBytes { buffer in
      #expect(layout.decode(buffer, at: 3) == RawScan(x: 4, y: 5, z: 6))
      #expect(layout.decode(buffer, at: 6) == nil)
      #expect(layout.decode(buffer, at: -1) == nil)
      #expect(layout.decode(buffer, at: .max) == nil)
    }
    #expect(layout.decode([]) == nil)
  }

  @Test func channelsThatMakeNoLayoutAreRefused() throws {
    let element = try ScanElement(parsing: "le:s16/16")
    let (x, y) = (ScanLayout.Channel(.x, index: 0, element), ScanLayout.Channel(.y, index: 1, element))
    #expect(throws: ScanLayout.Problem.missing(.z)) { try ScanLayout([x, y]) }
    #expect(throws: ScanLayout.Problem.sameIndex(1)) { try ScanLayout([x, y, .init(.z, index: 1, element)]) }
    #expect(throws: ScanLayout.Problem.twice(.x)) { try ScanLayout([x, y, .init(.x, index: 2, element)]) }
    let huge = try ScanElement(parsing: "le:s64/64X256")
    let many = (10..<60).map { ScanLayout.Channel(.other("\($0)"), index: $0, huge) }
    #expect(throws: ScanLayout.Problem.self) { try ScanLayout(many) }
    #expect(ScanLayout.Problem.missing(.z).description.contains("accel_z"))
  }
}
