import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Orientation detector")
struct OrientationDetectorTests {
  /// Gravity tilted from z towards x [deg].
  private func tilted(_ deg: Double) -> Vector {
    Vector(sin(deg * .pi / 180), 0, cos(deg * .pi / 180))
  }

  /// Feeds one gravity for a while, at 50 Hz, and answers the changes.
  private func hold(
    _ detector: inout OrientationDetector, _ gravity: Vector, from startS: Double, for lengthS: Double,
    isShaking: Bool = false
  ) -> [OrientationChange] {
    samples(rateHz: 50, from: startS, lengthS: lengthS) { _ in gravity }
      .compactMap { detector.feed(gravity: $0.g, at: $0.at, isShaking: isShaking) }
  }

  @Test(
    arguments: zip(
      [Vector(1, 0, 0), Vector(-1, 0, 0), Vector(0, 1, 0), Vector(0, -1, 0), Vector(0, 0, 1), Vector(0, 0, -1)],
      [Face.xUp, .xDown, .yUp, .yDown, .zUp, .zDown]))
  func eachSideIsToldAfterItSettled(up: Vector, face: Face) throws {
    var detector = OrientationDetector()
    let changes = hold(&detector, up, from: 0, for: 2)
    try #require(changes.count == 1)
    #expect(changes[0].face == face && changes[0].previous == .unknown)
    #expect(changes[0].at == .s(0.5))
    #expect((changes[0].up - up).length < 1e-12)
    #expect((changes[0].tiltDeg - acos(up.z) * 180 / .pi).magnitude < 1e-9)
  }

  @Test func aTurnTellsTheSideBefore() {
    var detector = OrientationDetector()
    _ = hold(&detector, flat, from: 0, for: 1)
    let changes = hold(&detector, Vector(0, -1, 0), from: 1, for: 1)
    #expect(changes.map(\.face) == [.yDown])
    #expect(changes.map(\.previous) == [.zUp])
    #expect(changes.map(\.tiltDeg) == [90])
  }

  @Test func theSideThatIsUpStaysUntilItIsFarFromVertical() {
    var detector = OrientationDetector()
    _ = hold(&detector, flat, from: 0, for: 1)
    // 50 deg from z is nearer to x, and still z by hysteresis; 57 deg is x, 33 deg from vertical.
    #expect(hold(&detector, tilted(50), from: 1, for: 3).isEmpty)
    #expect(hold(&detector, tilted(54), from: 4, for: 3).isEmpty)
    #expect(hold(&detector, tilted(57), from: 7, for: 3).map(\.face) == [.xUp])
    // On the way back z needs to be within 35 deg of vertical.
    #expect(hold(&detector, tilted(40), from: 10, for: 3).isEmpty)
    #expect(hold(&detector, tilted(34), from: 13, for: 3).map(\.face) == [.zUp])
  }

  @Test func anEdgeDoesNotFlap() {
    var detector = OrientationDetector()
    var changes = 0
    for index in 0..<2000 {
      let gravity = tilted(45 + 9 * sin(Double(index) * 0.05))
      if detector.feed(gravity: gravity, at: .s(Double(index) * 0.02)) != nil { changes += 1 }
    }
    #expect(changes == 0)
    #expect(detector.face == .unknown)
  }

  @Test func aTurnThatDoesNotLastIsNotTold() {
    var detector = OrientationDetector()
    _ = hold(&detector, flat, from: 0, for: 1)
    #expect(hold(&detector, tilted(90), from: 1, for: 0.4).isEmpty)
    #expect(hold(&detector, flat, from: 1.4, for: 1).isEmpty)
    #expect(hold(&detector, tilted(90), from: 2.4, for: 0.4).isEmpty)
  }

  @Test func nothingIsDecidedWhileGravityIsNotAlone() {
    var detector = OrientationDetector()
    #expect(hold(&detector, flat * 1.2, from: 0, for: 2).isEmpty)
    #expect(hold(&detector, flat * 0.8, from: 2, for: 2).isEmpty)
    #expect(hold(&detector, .zero, from: 4, for: 2).isEmpty)
    #expect(hold(&detector, flat * 1.1, from: 6, for: 2).map(\.face) == [.zUp])
  }

  @Test func nothingIsDecidedDuringAShake() {
    var detector = OrientationDetector()
    #expect(hold(&detector, flat, from: 0, for: 2, isShaking: true).isEmpty)
    #expect(hold(&detector, flat, from: 2, for: 0.4).isEmpty)
    #expect(hold(&detector, flat, from: 2.4, for: 0.2).map(\.face) == [.zUp])
  }

  @Test func anInterruptionMakesATurnSettleAnew() {
    var detector = OrientationDetector()
    _ = hold(&detector, flat, from: 0, for: 0.4)
    detector.interrupt()
    #expect(hold(&detector, flat, from: 0.4, for: 0.4).isEmpty)
    #expect(hold(&detector, flat, from: 0.8, for: 0.2).count == 1)
  }

  @Test func theIPhonesSignsTurnAccelerationsAndNotFaces() {
    let change = OrientationChange(at: .s(1), face: .zUp, previous: .xUp, tiltDeg: 3, up: flat)
    let message = change.message(in: .apple)
    #expect(message.up == Vector(0, 0, -1))
    #expect(message.face == .zUp && message.previous == .xUp && message.tiltDeg == 3)
    #expect(change.message().up == flat)
    #expect(Convention.apple.published(.zero).x.sign == .plus)
    var acceleration = AccelerationMessage(windowS: 1, filter: .raw, meanG: flat, count: 2, missed: 0)
    acceleration.rmsG = 0.5
    #expect(Convention.apple.published(acceleration).meanG == Vector(0, 0, -1))
    #expect(Convention.apple.published(acceleration).rmsG == 0.5)
  }
}
