internal import Daemon
internal import FleetLogic
internal import Sinks
internal import Telemetry
internal import WebServer

/// Makes the pages of `/metrics` and `/healthz` on the loop's thread; a `WebServer` answers with them on its own.
final class MetricsService {
  /// Between two pages at least [s]; and where it can be, the loop spends no more than this part of its time on them.
  private static let intervalS = 1.0, share = 0.01
  /// Between two looks at the disk [s].
  private static let diskS = 10.0

  private let face: HTTPFace
  private let server: WebServer
  private let loop: EventLoop
  private var timer: EventLoop.Timer?
  private var look: (() -> Look)?
  private var disk: (at: Instant, sizeBytes: Int64?, freeBytes: Int64?)?

  /// What the pages are made of, as it is just now.
  struct Look {
    var fleet: FleetState
    var sinks: [SinkState]
    var archive: Archive?
    var droppedPublications: Int
  }

  /// Listens from now on; until `start` nothing is there.
  /// - Throws: `unavailable`: the address or the port cannot be had.
  init?(_ face: HTTPFace?, _ loop: EventLoop) throws(Termination) {
    guard let face else { return nil }
    self.face = face
    self.loop = loop
    do throws(WebServerFailure) {
      server = try WebServer(face.server) { ageS in
        let trouble = "judder-fleet has been stuck for \(Decimal.text(ageS, decimals: 0)) s"
        return Page(503, contentType: MetricsService.json, body: FleetHealth.text([trouble]))
      }
    } catch {
      throw Termination(
        .unavailable, ["\(error); set http.port and http.address to what is free, or stop what has it"])
    }
  }

  private static let json = "application/json"

  /// Makes the first pages, and new ones each second or, where they take long, less often.
  func start(_ look: @escaping () -> Look) {
    self.look = look
    let timer = loop.timer { [unowned self] _ in renew() }
    self.timer = timer
    timer.deadline = loop.clock.now()
  }

  func stop() { server.stop() }

  private func renew() {
    guard let look else { return }
    let begin = loop.clock.now()
    publish(look(), at: begin)
    server.beat()
    let spentS = loop.clock.now() - begin
    timer?.deadline = begin + max(Self.intervalS, min(spentS / Self.share, face.server.staleS / 3))
  }

  private func publish(_ look: Look, at now: Instant) {
    let text = MetricsText.text(look.fleet, surroundings(look, at: now), at: now)
    server.publish(Page(contentType: MetricsText.contentType, body: text), at: "/metrics")
    let troubles = FleetHealth.troubles(look.fleet)
    let health = FleetHealth.text(troubles)
    server.publish(
      troubles.isEmpty ? Page(body: health) : Page(503, contentType: Self.json, body: health), at: "/healthz")
  }

  private func surroundings(_ look: Look, at now: Instant) -> Surroundings {
    var surroundings = Surroundings()
    if let archive = look.archive {
      var store = archive.figures
      if disk.map({ now - $0.at >= Self.diskS }) ?? true { disk = (now, archive.sizeBytes, archive.freeBytes) }
      (store.sizeBytes, store.freeBytes) = (disk?.sizeBytes, disk?.freeBytes)
      surroundings.store = store
    }
    let wall = look.fleet.moment(now).wall
    surroundings.sinks = look.sinks.map { Surroundings.Sink($0, at: wall) }
    surroundings.droppedPublications = look.droppedPublications
    let usage = ProcessUsage.read()
    surroundings.residentBytes = usage.residentKB.map { $0 * 1024 }
    surroundings.processorS = usage.cpuSeconds
    if look.fleet.clock.quality != .none { surroundings.started = look.fleet.clock.wall(at: .start) }
    surroundings.nodes = face.nodes
    return surroundings
  }
}

extension Surroundings.Sink {
  init(_ state: SinkState, at now: WallTime) {
    self.init(name: state.name)
    queued = state.queued
    oldestS = state.oldestAgeS(at: now)
    delivered = state.delivered
    failed = state.failed
    givenUp = state.givenUp
    isFailing = state.problem != nil
  }
}
