/// How many satellites a receiver used for its last solution.
struct SkyCount: Equatable, Sendable {
  /// The receiver's path; nil where gpsd names none.
  var device: String?
  var used: Int

  /// Whether it counts while this receiver is followed: its own do, and any while none is followed or none is named.
  func counts(for followed: String?) -> Bool { device == nil || followed == nil || device == followed }
}
