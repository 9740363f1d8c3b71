import Testing

@testable import MQTT

/// Times are those of a link with a keepalive of 60 s.
@Suite("Noticing a dead link")
struct VigilanceTests {
  private let fresh = Vigilance(keepaliveS: 60, acknowledgementDeadlineS: nil, atS: 100)

  @Test("looks when the next ping is due, and when its answer is")
  func idle() {
    var vigilance = fresh
    #expect(vigilance.nextS(oldestS: nil, atS: 100) == 115)
    #expect(vigilance.nextS(oldestS: nil, atS: 150) == 160)
    vigilance.pinged(atS: 160)
    #expect(vigilance.nextS(oldestS: nil, atS: 180) == 189.5)
    #expect(vigilance.overdue(oldestS: nil, atS: 189.4) == nil)
    #expect(vigilance.overdue(oldestS: nil, atS: 189.5) == .pingDeadline(seconds: 29.5))
    #expect(189.5 <= 100 + 1.5 * 60)
  }

  @Test("forgets a ping that was answered, and counts from there")
  func answered() {
    var vigilance = fresh
    vigilance.pinged(atS: 160)
    vigilance.answered(atS: 161)
    #expect(!vigilance.awaitsAnswer)
    #expect(vigilance.overdue(oldestS: nil, atS: 1000) == nil)
    #expect(vigilance.nextS(oldestS: nil, atS: 210) == 220)
  }

  // Complaint 27: what is sent, or comes, all the time says nothing about the answers that do not come.
  @Test("is not soothed by what else is sent and heard")
  func busy() {
    var vigilance = fresh
    for second in 0..<60 { vigilance.spoke(atS: 100 + Double(second)) }
    #expect(vigilance.nextS(oldestS: nil, atS: 159) == 160)
    vigilance.pinged(atS: 160)
    for second in 161..<190 {
      vigilance.spoke(atS: Double(second))
      vigilance.heard(atS: Double(second))
    }
    #expect(vigilance.overdue(oldestS: nil, atS: 190) == .pingDeadline(seconds: 29.5))
  }

  @Test("judges by the oldest publication without an acknowledgement")
  func acknowledgements() {
    #expect(fresh.overdue(oldestS: 110, atS: 169.9) == nil)
    #expect(fresh.overdue(oldestS: 110, atS: 170) == .acknowledgementDeadline(seconds: 60))
    #expect(fresh.nextS(oldestS: 110, atS: 159) == 160)
    #expect(Vigilance(keepaliveS: 60, acknowledgementDeadlineS: 5, atS: 100).overdue(oldestS: 110, atS: 115) != nil)
  }

  @Test("looks again soon when a ping is due and does not go out")
  func late() {
    #expect(fresh.nextS(oldestS: nil, atS: 170) == 170.5)
  }
}
