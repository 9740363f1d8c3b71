import Glibc
import Testing

@testable import Sensors

/// What people reported of programs that read accelerometers, and where it is tested that this one does better. The
/// tests carry the numbers in their comments or names.
///
/// | reports | tests |
/// |---|---|
/// | iio-sensor-proxy #4, PR #284: scale and offset | AccelerometerAttributeTests |
/// | iio-sensor-proxy #178, #201, #252, #260, #285: mount matrix | AccelerometerAttributeTests, EvdevSourceTests |
/// | iio-sensor-proxy #166, #262; rot8 #114: which of several | AccelerometerDiscoveryTests, EvdevDiscoveryTests |
/// | iio-sensor-proxy #43: silent hub | AccelerometerPollingTests, AccelerometerFaultTests, ScanCheckTests |
/// | iio-sensor-proxy #100; libiio #71, #324: scan layout | AccelerometerBufferTests, ScanLayoutTests |
/// | iio-sensor-proxy #55, #66, #69, #160, #224: stalls | AccelerometerRecoveryTests, AccelerometerFaultTests |
/// | iio-sensor-proxy #220: garbage frames | AccelerometerFaultTests, ScanCheckTests, EvdevSourceTests |
/// | iio-sensor-proxy #235: bounded reads, release | AccelerometerFaultTests, SensorThreadTests |
/// | InputPlumber #102; libiio #974: removal | AccelerometerRecoveryTests, EvdevSourceTests, here |
/// | libiio #941, #450; raspberrypi/linux #4984: no buffer, no trigger | AccelerometerRecoveryTests |
/// | libiio #1215, #1195: no permission | AccelerometerRecoveryTests, AccelerometerSleepTests, here |
/// | mpu6050 #21, #27, #40; enviroplus-mqtt #12: bus errors | AccelerometerPollingTests, RecoveryTests, here |
/// | mqtt-io #158: age of the last sample | MotionPipelineTests, SensorStateTests |
/// | Tasmota #4521: frozen values | FrozenValuesTests, AccelerometerFaultTests |
/// | librealsense #15659: stale scans | AccelerometerBufferTests |
/// | klipper #3027, ArduPilot #6156: the true rate | RateEstimatorTests, ScanTimelineTests |
/// | Mysa_HA #25, goecharger #86: no floods | SensorStateTests |
/// | InputPlumber #574: gravity at rest | ScanCheckTests, AccelerometerFaultTests, AccelerometerProbeTests |
@Suite("Public reports")
struct PublicReportTests {
  private func failure(_ code: Int32) -> SystemFailure {
    SystemFailure(operation: "read", path: "in_accel_x_raw", code: code)
  }

  // InputPlumber #102; libiio #974
  @Test(arguments: [ENODEV, ENOENT, ENXIO])
  func aDeviceThatIsGoneIsNotTriedAgainButLookedFor(code: Int32) {
    #expect(failure(code).isRemoval)
    #expect(!failure(code).isPassing)
    #expect(!PollFault.system(failure(code)).isRetried)
  }

  // mpu6050 #21, #27, #40; enviroplus-mqtt #12
  @Test(arguments: [EBUSY, EIO, EREMOTEIO, ETIMEDOUT])
  func whatABusAnswersNowAndThenIsTriedAgain(code: Int32) {
    #expect(failure(code).isPassing)
    #expect(!failure(code).isRemoval)
    #expect(PollFault.system(failure(code)).isRetried)
  }

  // libiio #1215, #1195
  @Test(arguments: [EACCES, EPERM])
  func deniedAccessNamesTheRuleThatGrantsIt(code: Int32) {
    #expect(SensorFault(failure(code)).description.contains("install deploy/udev/60-judder-iio.rules"))
    #expect(!failure(code).isPassing && !failure(code).isRemoval)
  }
}
