/// The newest samples, in a memory of fixed size: the oldest makes room for the next.
struct WaveformRing: Equatable {
  private var readings: [WaveformReading]
  /// Where the next one goes.
  private var next = 0
  private(set) var count = 0

  /// - Parameter capacity: samples, > 0; all of the memory is taken at once.
  init(capacity: Int) {
    readings = Array(repeating: WaveformReading(at: 0, x: 0, y: 0, z: 0), count: capacity)
  }

  var capacity: Int { readings.count }

  mutating func append(_ reading: WaveformReading) {
    readings[next] = reading
    next += 1
    if next == readings.count { next = 0 }
    if count < readings.count { count += 1 }
  }

  mutating func removeAll() {
    next = 0
    count = 0
  }

  /// The sample at that place, of which 0 is the oldest.
  subscript(place: Int) -> WaveformReading {
    let index = next - count + place
    return readings[index < 0 ? index + readings.count : index]
  }

  /// The place of the first sample at or after that time [s]; `count` where there is none. Times rise.
  func firstPlace(from time: Double) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].at < time { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
