import Foundation
import Rig
import Testing

/// The proxy is judged by what two plain sockets feel of it.
@Suite("The faulty proxy", .serialized)
struct FaultyProxyTests {
  @Test("hands everything on, counts it, and ends fast")
  func passing() throws {
    let rig = try Line()
    #expect(rig.client.write(Array("ping".utf8)))
    #expect(rig.server.read(4) == Array("ping".utf8))
    #expect(rig.server.write(Array("answer".utf8)))
    #expect(rig.client.read(6) == Array("answer".utf8))
    #expect(waitUntil(seconds: 2) { rig.proxy.statistics.passedToClient == 6 })
    let statistics = rig.proxy.statistics
    #expect(statistics.connections == 1 && statistics.sentByClient == 4 && statistics.passedToServer == 4)
    #expect(statistics.sentByServer == 6 && statistics.resets == 0)
    let startS = seconds()
    rig.proxy.stop()
    #expect(seconds() - startS < 1)
    #expect(rig.client.read(1) == [])
  }

  @Test("delays, in either direction, with jitter, and never reorders")
  func delays() throws {
    let rig = try Line(.init(toServer: .init(delayS: 0.1, jitterS: 0.05)))
    let startS = seconds()
    for byte in 0..<20 as Range<UInt8> {
      #expect(rig.client.write([byte]))
      usleep(2000)
    }
    #expect(rig.server.read(20) == Array(0..<20))
    #expect((0.09...0.6).contains(seconds() - startS))
    let backS = seconds()
    #expect(rig.server.write([1]))
    #expect(rig.client.read(1) == [1])
    #expect(seconds() - backS < 0.09)
  }

  @Test("slows down to a number of bytes a second")
  func rate() throws {
    let rig = try Line(.init(toServer: .init(bytesPerS: 40_000)))
    let startS = seconds()
    #expect(rig.client.write([UInt8](repeating: 7, count: 20_000)))
    #expect(rig.server.read(20_000).count == 20_000)
    #expect((0.45...1.5).contains(seconds() - startS))
  }

  @Test("swallows what comes, ends too, and a connection that has lost bytes passes none again")
  func swallowing() throws {
    let rig = try Line()
    rig.proxy.faults = .blackHole
    #expect(rig.client.write([1, 2, 3]))
    #expect(waitUntil(seconds: 2) { rig.proxy.statistics.sentByClient == 3 })
    rig.proxy.faults = .init()
    #expect(rig.client.write([4]))
    #expect(rig.server.write([5]))
    #expect(rig.client.read(1) == [5])
    rig.client.end()
    #expect(rig.server.read(1, seconds: 0.2) == nil)
    #expect(rig.proxy.statistics.passedToServer == 0)
  }

  @Test("stalls, and what waited arrives afterwards")
  func stalling() throws {
    let rig = try Line(.init(bothWays: .init(.stalled)))
    #expect(rig.client.write([1, 2, 3]))
    #expect(rig.server.read(1, seconds: 0.2) == nil)
    #expect(rig.proxy.statistics.sentByClient == 0)
    rig.proxy.faults = .init()
    #expect(rig.server.read(3) == [1, 2, 3])
  }

  @Test("resets on demand, and after a number of bytes")
  func resets() throws {
    let rig = try Line()
    rig.proxy.reset()
    #expect(rig.client.read(1) == [] && rig.client.wasReset)
    let next = try rig.another()
    rig.proxy.reset(afterBytesToServer: 10)
    #expect(next.client.write([UInt8](repeating: 1, count: 4)))
    #expect(next.server.read(4).count == 4)
    #expect(next.client.write([UInt8](repeating: 1, count: 6)))
    #expect(next.client.read(1) == [] && next.client.wasReset)
    #expect(rig.proxy.statistics.resets == 2)
  }

  @Test("resets at random moments and in the middle of a publication")
  func chance() throws {
    let rig = try Line(.init(resetMeanS: 0.05))
    #expect(rig.client.read(1) == [] && rig.client.wasReset)
    rig.proxy.faults = .init(toServer: .init(cut: .publishes(chance: 1)))
    let next = try rig.another()
    #expect(next.client.write([0xC0, 0]))
    #expect(next.server.read(2) == [0xC0, 0])
    #expect(next.client.write([0x32] + [UInt8](repeating: 9, count: 99)))
    #expect(next.client.read(1) == [] && next.client.wasReset)
    #expect(rig.proxy.statistics.passedToServer < 102)
  }

  @Test("resets and refuses new connections, and takes them again")
  func arrivals() throws {
    let rig = try Line()
    rig.proxy.faults.arrivals = .reset
    let reset = try #require(TestSocket(port: rig.proxy.port))
    #expect(reset.read(1) == [] && reset.wasReset)
    rig.proxy.faults.arrivals = .refused
    #expect(waitUntil(seconds: 2) { TestSocket(port: rig.proxy.port) == nil })
    #expect(rig.client.write([1]))
    #expect(rig.server.read(1) == [1])
    rig.proxy.faults.arrivals = .taken
    #expect(waitUntil(seconds: 2) { TestSocket(port: rig.proxy.port) != nil })
  }

  @Test("ends one direction, and the other goes on")
  func halfClosed() throws {
    let rig = try Line()
    rig.proxy.halfClose(.toServer)
    #expect(rig.server.read(1) == [])
    #expect(rig.server.write([8]))
    #expect(rig.client.read(1) == [8])
    rig.server.end()
    #expect(rig.client.read(1) == [] && !rig.client.wasReset)
  }
}

private func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }

/// A client and a server with the proxy between them.
private final class Line {
  let proxy: FaultyProxy
  let client: TestSocket
  let server: TestSocket
  private let listener: TestListener

  init(_ faults: FaultyProxy.Faults = .init()) throws {
    listener = try TestListener()
    proxy = try FaultyProxy(to: listener.port, faults)
    client = try #require(TestSocket(port: proxy.port))
    server = try #require(listener.accept())
  }

  deinit { proxy.stop() }

  func another() throws -> (client: TestSocket, server: TestSocket) {
    let client = try #require(TestSocket(port: proxy.port))
    return (client, try #require(listener.accept()))
  }
}

private func address(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(port).bigEndian
  address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
  return address
}

private final class TestListener {
  let port: Int
  private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

  init() throws {
    port = try Workplace.freePort()
    var place = address(port)
    let isBound = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(isBound == 0 && listen(descriptor, 8) == 0)
  }

  deinit { close(descriptor) }

  func accept() -> TestSocket? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 2000) > 0 else { return nil }
    return TestSocket(Glibc.accept(descriptor, nil, nil))
  }
}

private final class TestSocket {
  private let descriptor: Int32
  private(set) var wasReset = false

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  init?(port: Int) {
    let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var place = address(port)
    let result = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    descriptor = made
    if result != 0 { return nil }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) -> Bool {
    send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  func end() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Reads this many bytes, fewer at the end of the stream; nil when they do not come in time.
  func read(_ count: Int, seconds: Double) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return nil }
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let got = recv(descriptor, &buffer, buffer.count, 0)
      if got < 0 { wasReset = errno == ECONNRESET }
      guard got > 0 else { break }
      bytes += buffer.prefix(got)
    }
    return bytes
  }

  func read(_ count: Int) -> [UInt8] { read(count, seconds: 3) ?? [0xEE] }
}
