internal import Foundation

/// What gpsd says to its clients, far faster than any receiver: a load of locations for drills that need events by the
/// thousand. Whoever tests how gpsd behaves takes a real one (`GpsdRig`).
///
/// Each client gets fixes of a vehicle that drives north at 30 m/s, from the moment it connects.
///
/// `@unchecked Sendable`: what changes is behind the lock.
public final class BusyReceiver: @unchecked Sendable {
  /// Where it listens on 127.0.0.1.
  public let port: Int
  private let rateHz: Double
  private let lock = NSLock()
  private var isOver = false
  private var fixes = 0

  /// Listens at once.
  public init(rateHz: Double) throws {
    port = try Workplace.freePort()
    self.rateHz = rateHz
    let listener = try Loopback.listen(port: port)
    Thread.detachNewThread { [weak self] in
      while let client = Loopback.accept(listener, isOver: { self?.isStopped ?? true }) {
        Thread.detachNewThread { [weak self] in self?.serve(client) }
      }
      close(listener)
    }
  }

  deinit { stop() }

  /// Fixes told so far, to all clients together.
  public var fixCount: Int { lock.withLock { fixes } }

  /// Tells nobody anything any more.
  public func stop() { lock.withLock { isOver = true } }

  private var isStopped: Bool { lock.withLock { isOver } }

  private func serve(_ client: Int32) {
    defer { close(client) }
    let device = #"{"class":"DEVICE","path":"/dev/busy","driver":"NMEA0183","activated":1.0}"#
    let greeting = [
      #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
      #"{"class":"DEVICES","devices":[\#(device)]}"#,
      #"{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false}"#,
    ]
    guard say(greeting[0], to: client), Loopback.isReadable(client, milliseconds: 5000),
      Loopback.read(client) != nil, say(greeting[1], to: client), say(greeting[2], to: client)
    else { return }
    drive(client)
  }

  private func drive(_ client: Int32) {
    let start = DispatchTime.now()
    let startS = (Date().timeIntervalSince1970 * 1000).rounded() / 1000
    var number = 0
    while !isStopped {
      let elapsedS = Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
      while Double(number) < elapsedS * rateHz {
        number += 1
        guard say(fix(number, startS: startS), to: client) else { return }
      }
      // Requests are read, so that they do not pile up, and not answered.
      if Loopback.isReadable(client, milliseconds: 1), Loopback.read(client) == nil { return }
    }
  }

  private func fix(_ number: Int, startS: Double) -> String {
    lock.withLock { fixes += 1 }
    let sinceS = Double(number) / rateHz
    let latitude = 47 + sinceS * 30 / 111_195
    let time = Date(timeIntervalSince1970: startS + sinceS).formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    return #"{"class":"TPV","device":"/dev/busy","mode":3,"time":"\#(time)","lat":\#(latitude),"lon":8.5,"#
      + #""eph":3.0,"speed":30.0,"track":0.0}"#
  }

  private func say(_ line: String, to client: Int32) -> Bool { Loopback.write(client, Array((line + "\r\n").utf8)) }
}
