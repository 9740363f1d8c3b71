/// Groups points so that two within a distance of each other are in one group, and all that are so connected.
///
/// Points without a place go by their site, which is one group.
struct PlaceChains {
  private struct Cell: Hashable {
    var x: Int
    var y: Int
    var z: Int
  }

  private let sideM: Double
  private var points: [GlobePoint?] = []
  private var parents: [Int] = []
  private var cells: [Cell: [Int]] = [:]
  private var sites: [String: Int] = [:]

  init(sideM: Double) {
    self.sideM = sideM
  }

  mutating func add(_ point: GlobePoint?, site: String?) {
    let new = parents.count
    parents.append(new)
    points.append(point)
    guard let point else {
      if let site, let first = sites[site] { join(new, first) }
      if let site { sites[site] = new }
      return
    }
    let home = cell(of: point)
    for x in home.x - 1...home.x + 1 {
      for y in home.y - 1...home.y + 1 {
        for z in home.z - 1...home.z + 1 {
          for other in cells[Cell(x: x, y: y, z: z)] ?? [] {
            if let there = points[other], there.distanceM(to: point) <= sideM { join(new, other) }
          }
        }
      }
    }
    cells[home, default: []].append(new)
  }

  /// The groups: how many points, and how wide [m].
  var sizes: [(count: Int, extentM: Double)] {
    var groups: [Int: [GlobePoint?]] = [:]
    for index in points.indices { groups[top(index), default: []].append(points[index]) }
    return groups.values.map { ($0.count, GlobePoint.extentM(of: $0.compactMap { $0 })) }
  }

  private func cell(of point: GlobePoint) -> Cell {
    Cell(
      x: Int((point.x / sideM).rounded(.down)), y: Int((point.y / sideM).rounded(.down)),
      z: Int((point.z / sideM).rounded(.down)))
  }

  private func top(_ index: Int) -> Int {
    var index = index
    while parents[index] != index { index = parents[index] }
    return index
  }

  private mutating func join(_ a: Int, _ b: Int) {
    let (one, other) = (top(a), top(b))
    parents[max(one, other)] = min(one, other)
  }
}
