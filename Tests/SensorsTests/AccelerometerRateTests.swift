import Foundation
import Rig
import Testing

@testable import Sensors

@Suite struct AvailableValuesTests {
  @Test(arguments: [
    (0.5, "1"), (1, "1"), (26, "50"), (50, "50"), (100, "100"), (333, "400"), (1600, "1600"), (5000, "1600"),
  ])
  func theLowestListedValueNotBelowTheWantedOneIsChosen(wanted: Double, choice: String) {
    #expect(AvailableValues("1 10 25 50 100 200 400 1600")?.choice(atLeast: wanted) == choice)
  }

  @Test func listedValuesAreWrittenBackLetterForLetter() {
    #expect(AvailableValues("12.500000 25.000000 50")?.choice(atLeast: 12.5) == "12.500000")
    #expect(AvailableValues("1600 25 400")?.choice(atLeast: 100) == "400")
  }

  @Test(arguments: [(1.0, "12.5"), (12.5, "12.5"), (13, "25"), (100, "100"), (110, "112.5"), (9000, "1600")])
  func aRangeIsSteppedThrough(wanted: Double, choice: String) {
    #expect(AvailableValues("[12.5 12.5 1600]")?.choice(atLeast: wanted) == choice)
  }

  @Test func aRangeWithoutStepsOffersEverythingBetween() {
    #expect(AvailableValues("[1 0 100]")?.choice(atLeast: 33.25) == "33.25")
  }

  @Test(arguments: ["", "fast", "1 two 3", "[1 2]", "[5 1 2]", "[]", "nan"])
  func anythingElseIsNotAListOfValues(text: String) {
    #expect(AvailableValues(text) == nil)
  }

  @Test(arguments: [(0.0, "0"), (100, "100"), (12.5, "12.5"), (-0.25, "-0.25"), (1e-7, "0"), (0.781, "0.781")])
  func numbersAreWrittenWithoutExponent(value: Double, text: String) {
    #expect(decimal(value) == text)
  }
}

@Suite struct AccelerometerRateTests {
  private let workplace: Workplace
  private let tree: IIOTree

  init() throws {
    workplace = try Workplace("rate")
    tree = try IIOTree(in: workplace)
  }

  private func rate(_ device: IIOTreeDevice) -> IIORate {
    IIORate(attributes: IIOAttributes(folder: AttributeFolder(path: device.folder)))
  }

  @Test(arguments: [IIOChip.lis3dh, .kxcjk1013, .bmi160])
  func theRateIsSetUnderTheDriversOwnNameAndReadBack(chip: IIOChip) throws {
    let device = try tree.add(chip)
    #expect(rate(device).set(atLeast: 90) == IIORate.Outcome(rateHz: 100, refusal: nil))
    #expect(device.text(try #require(chip.rateName)) == "100")
  }

  @Test func anAxisOwnRateIsSetForEveryAxis() throws {
    var chip = IIOChip.mpu6050
    chip.rateName = nil
    let device = try tree.add(chip)
    for axis in ["x", "y", "z"] { try device.create("in_accel_\(axis)_sampling_frequency", "10") }
    #expect(rate(device).set(atLeast: 50).rateHz == 50)
    for axis in ["x", "y", "z"] { #expect(device.text("in_accel_\(axis)_sampling_frequency") == "50") }
  }

  @Test func theNextHigherRateIsTakenForOneThatIsNotOffered() throws {
    let outcome = rate(try tree.add(.lis3dh)).set(atLeast: 333)
    #expect(outcome.rateHz == 400)
    #expect(outcome.refusal == nil)
  }

  @Test func aRefusedRateLeavesThePresentOneAndSaysWhy() throws {
    // A folder in the place of the attribute refuses to be written, as a driver refuses a value; it cannot be read
    // either, so nothing is known of the rate.
    let device = try tree.add(.kxcjk1013)
    try device.block("in_accel_sampling_frequency")
    let outcome = rate(device).set(atLeast: 50)
    #expect(outcome.rateHz == nil)
    #expect(
      try #require(outcome.refusal).contains("in_accel_sampling_frequency: Is a directory; the rate stays as it is"))
  }

  @Test(.enabled(if: getuid() != 0, "root may write everything"))
  func aReadOnlyRateStaysAndNamesThePermission() throws {
    let device = try tree.add(.lis3dh)
    try #require(chmod(device.folder + "/sampling_frequency", 0o444) == 0)
    let outcome = rate(device).set(atLeast: 100)
    #expect(outcome.rateHz == 50)
    #expect(try #require(outcome.refusal).contains("udev"))
  }

  @Test func aDriverWithoutARateIsTold() throws {
    var chip = IIOChip.mpu6050
    chip.rateName = nil
    let outcome = rate(try tree.add(chip)).set(atLeast: 100)
    #expect(outcome.rateHz == nil)
    #expect(try #require(outcome.refusal).contains("no sampling_frequency"))
  }
}
