/// When something that SQLite does must be over.
final class Deadline {
  private let atS: Double

  init(atS: Double) { self.atS = atS }

  var isOver: Bool { monotonicS() >= atS }

  /// For sqlite3_progress_handler: anything but 0 interrupts.
  static func isOver(_ pointer: UnsafeMutableRawPointer?) -> Int32 {
    guard let pointer else { return 0 }
    return Unmanaged<Deadline>.fromOpaque(pointer).takeUnretainedValue().isOver ? 1 : 0
  }
}
