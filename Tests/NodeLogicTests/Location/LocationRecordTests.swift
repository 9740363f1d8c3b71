import NodeLogic
import Telemetry
import Testing

struct LocationRecordTests {
  private static func record() throws -> LocationRecord {
    let fence = try GeofenceFixture.circle(name: "Depot \"Süd\"")
    let gate = try GeofenceFixture.circle(10, name: "gate")
    return LocationRecord(
      boot: BootID(0xc0ffee), odometer: Odometer(totalM: 48_213.4, tripM: 1204),
      fences: [
        LocationRecord.Fence(fence, since: WallTime(seconds: 1_700_000_000.5)), LocationRecord.Fence(gate, since: nil),
      ], written: WallTime(seconds: 1_700_000_100.25))
  }

  @Test func fileIsOneLineThatReadsByItself() throws {
    let record = try Self.record()
    let text = String(decoding: record.encode(), as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"version":1,"boot":"00c0ffee","t":1700000100.25,"odometer_m":48213.4,"trip_m":1204,"inside":"#
          + #"[{"fence":"Depot \"Süd\"","#
      ))
    #expect(text.hasSuffix("}]}\n"))
    #expect(try LocationRecord.decode(record.encode()) == record)
    let empty = LocationRecord(boot: BootID(1))
    #expect(try LocationRecord.decode(empty.encode()) == empty)
  }

  @Test func everyCutAndEveryOtherVersionIsDamage() throws {
    let bytes = try Self.record().encode()
    for length in 0..<(bytes.count - 2) {
      #expect(throws: LocationRecord.Damage.self) { try LocationRecord.decode(Array(bytes[..<length])) }
    }
    let problems = [
      (#"{"version":2}"#, "is of version 2, and this software knows 1"), ("[]", "is damaged"),
      (#"{"odometer_m":1}"#, "says no version"),
      (
        #"{"version":1,"boot":"00c0ffee","odometer_m":-1,"trip_m":0,"inside":[]}"#,
        "lacks something, or has it out of range"
      ),
      (
        #"{"version":1,"boot":"00c0ffee","odometer_m":1,"trip_m":0,"inside":[{"fence":"a"}]}"#,
        "lacks a fence's name or area"
      ),
    ]
    for (text, expected) in problems {
      #expect(throws: LocationRecord.Damage(description: expected)) { try LocationRecord.decode(Array(text.utf8)) }
    }
  }

  @Test func largestRecordFitsIntoTheLimit() throws {
    let fences = try (0..<Geofence.most).map { index in
      LocationRecord.Fence(
        try GeofenceFixture.circle(name: String(repeating: "\u{1}", count: 64)),
        since: WallTime(seconds: 1_700_000_000.125 + Double(index)))
    }
    let bytes = LocationRecord(
      boot: BootID(1), odometer: Odometer(totalM: 123_456_789.1, tripM: 123_456_789.1), fences: fences
    ).encode()
    #expect(bytes.count < LocationRecord.largestBytes)
  }
}
