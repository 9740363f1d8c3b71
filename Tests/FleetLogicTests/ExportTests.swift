import Foundation
import Rig
import Telemetry
import Testing

@testable import FleetLogic

@Suite("Exports")
struct ExportTests {
  private let start = 1_796_011_500.0

  private func event(
    _ number: UInt64, _ stream: Telemetry.Stream, _ body: String, isTimed: Bool = true
  ) throws -> KeptEvent {
    let t = start + Double(number)
    let text = #"{"v":1,"boot":"00000001","seq":\#(number),"t":\#(Int(t)),"clk":"ntp","up":\#(number),"# + body + "}"
    let event = KeptEvent(
      node: NodeName("van-1")!, boot: BootID(1), sequence: number, stream: stream,
      measured: isTimed ? WallTime(seconds: t) : nil, clock: .ntp, uptime: Double(number),
      received: WallTime(seconds: t + 1), isLate: false, payload: Array(text.utf8))
    _ = try Telegram.decode(stream: stream, payload: event.payload)
    return event
  }

  private func events() throws -> [KeptEvent] {
    let msl = #""fix":3,"lat":47.5,"lon":8.25,"acc_m":4,"alt_m":400.5,"alt_source":"msl","age_s":0.5,"why":"first""#
    let hae = #""fix":3,"lat":47.5,"lon":-8.25,"alt_m":450,"alt_source":"hae","age_s":0,"why":"interval""#
    return [
      try event(1, .location, msl), try event(2, .location, #""fix":0,"why":"lost","reason":"no_fix""#),
      try event(3, .location, hae), try event(4, .location, hae, isTimed: false),
    ]
  }

  private func text(_ format: ExportFormat, _ events: [KeptEvent]) -> String {
    var export = format.make()
    var text = export.begin()
    for event in events { text += export.add(event) }
    return text + export.end()
  }

  @Test("GPX: a segment ends where the fix was lost; ele before time; what is not known is left out")
  func gpx() throws {
    let lines = try text(.gpx, events()).split(separator: "\n").dropFirst(2)
    #expect(
      Array(lines) == [
        "<trk><name>van-1</name>", "<trkseg>",
        "<trkpt lat=\"47.5000000\" lon=\"8.2500000\"><ele>400.50</ele><time>2026-11-30T04:05:00.500Z</time>"
          + "<fix>3d</fix></trkpt>", "</trkseg>", "<trkseg>",
        "<trkpt lat=\"47.5000000\" lon=\"-8.2500000\"><time>2026-11-30T04:05:03.000Z</time><fix>3d</fix></trkpt>",
        "<trkpt lat=\"47.5000000\" lon=\"-8.2500000\"><fix>3d</fix></trkpt>", "</trkseg>", "</trk>", "</gpx>",
      ])
  }

  @Test("GeoJSON: longitude first, the height above the ellipsoid as the third, no time where none is known")
  func geojson() throws {
    let json = try JSONValue.parse(Array(text(.geojson, events()).utf8))
    let features = try #require(json["features"]?.array)
    #expect(features.map { $0["geometry"]?["coordinates"]?.array?.count } == [2, 3, 3])
    #expect(features[0]["geometry"]?["coordinates"]?.array?.first?.number == 8.25)
    #expect(features[0]["properties"]?["alt_m"]?.number == 400.5)
    #expect(features.map { $0["properties"]?["t"]?.number } == [start + 0.5, start + 3, nil])
  }

  @Test("KML: times before places; a position without a time is a point")
  func kml() throws {
    let text = try text(.kml, events())
    #expect(text.contains("<when>2026-11-30T04:05:03.000Z</when>\n<gx:coord>-8.2500000 47.5000000 0</gx:coord>"))
    #expect(text.components(separatedBy: "<gx:Track>").count == 3)
    #expect(text.components(separatedBy: "<Point>").count == 2)
  }

  @Test("CSV: a row an event, unknown is empty, a stranger's formula is a text")
  func csv() throws {
    let evil = ##"=HYPERLINK(\"x\"),\n#"##
    let fence = try event(
      5, .geofence, #""fence":"\#(evil)","event":"enter","lat":-1.5,"lon":2,"age_s":0,"edge_m":3"#)
    let rows = try text(.csv, events() + [fence]).components(separatedBy: "\r\n")
    #expect(rows.count == 7 && rows[6].isEmpty)
    #expect(rows[1].hasPrefix("2026-11-30T04:05:01.000Z,1796011501.000,2026-11-30T04:05:02.000Z,1796011502.000,van-1,"))
    #expect(rows[4].hasPrefix(",,2026-11-30T04:05:05.000Z,"), "no time is invented")
    #expect(rows[5].contains(##"'=HYPERLINK(""x""),\n#""##) && rows[5].contains(",-1.5000000,"))
    #expect(!rows[5].contains("\n"))
  }

  @Test("Text in XML has no markup, no control characters, and nothing that XML forbids")
  func xml() {
    #expect(
      XMLText.escaped("a<&>\"'\u{1B}[1m\u{FFFE}\u{0}é") == "a&lt;&amp;&gt;&quot;&apos;\\u{1b}[1m\\u{fffe}\\u{00}é")
  }

  @Test(
    "xmllint can read them", .enabled(if: ChildProcess.find("xmllint") != nil), arguments: [ExportFormat.gpx, .kml])
  func wellFormed(format: ExportFormat) throws {
    let place = try Workplace("judder-export")
    let file = try place.write("out.xml", text(format, events()))
    let lint = try ChildProcess("xmllint", ["--noout", file], name: "lint", in: place.folder)
    #expect(lint.wait(seconds: 10) == 0, "\(lint.errorText())")
  }
}
