import NodeLogic
import Testing

@Suite("Shake settings")
struct ShakeSettingsTests {
  @Test(arguments: ShakePreset.allCases)
  func aPresetIsWithinItsOwnRanges(preset: ShakePreset) {
    #expect(preset.settings.problems.isEmpty)
  }

  @Test func everyKeyReadsBackWhatItWasSetTo() {
    for key in ShakeSettings.Key.allCases {
      var settings = ShakeSettings()
      for end in [key.range.lowerBound, key.range.upperBound] {
        settings[key] = end
        #expect(settings[key] == end, "\(key)")
      }
      for other in ShakeSettings.Key.allCases where other != key {
        #expect(settings[other] == ShakeSettings()[other], "\(key) changed \(other)")
      }
    }
  }

  @Test func aValueOutsideItsRangeIsNamedWithTheRange() throws {
    var settings = ShakeSettings()
    settings.holdS = 100
    settings.reversals = -1
    let problems = settings.problems
    try #require(problems.count == 2)
    #expect(problems[0] == "reversals is -1.0; expected 0.0 to 20.0")
    #expect(problems[1] == "hold_s is 100.0; expected 0.05 to 60.0")
  }

  @Test func aBandWithNothingInItIsNamed() {
    var settings = ShakeSettings()
    settings.highPassHz = 4
    settings.lowPassHz = 3
    #expect(settings.problems.count == 1)
    #expect(settings.problems.first?.contains("low_pass_hz") == true)
  }

  @Test func aRhythmThatNothingCanKeepIsNamed() {
    var settings = ShakeSettings()
    settings.rhythm = 0.5
    #expect(settings.problems.count == 1)
    #expect(settings.problems.first?.hasPrefix("rhythm is 0.5; expected 0, or 1 to 10") == true)
  }

  @Test func notANumberIsAProblem() {
    var settings = ShakeSettings()
    settings.onG = .nan
    #expect(settings.problems.count == 1)
  }
}
