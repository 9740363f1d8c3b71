/// A plane that touches the globe, for distances of some kilometres.
extension Coordinate {
  /// How far east and north of here a place is [m]; across the date line the short way.
  func offset(to other: Coordinate) -> (eastM: Double, northM: Double) {
    var turn = other.longitude - longitude
    if turn > 180 { turn -= 360 }
    if turn < -180 { turn += 360 }
    return (
      radians(turn) * cos(radians(latitude)) * Coordinate.earthRadiusM,
      radians(other.latitude - latitude) * Coordinate.earthRadiusM
    )
  }

  /// The place so far east and north of here [m]; here itself where the plane is of no use, at a pole.
  public func moved(eastM: Double, northM: Double) -> Coordinate {
    let latitude = self.latitude + degrees(northM / Coordinate.earthRadiusM)
    var longitude = self.longitude + degrees(eastM / (Coordinate.earthRadiusM * cos(radians(self.latitude))))
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    return Coordinate(latitude: latitude, longitude: longitude) ?? self
  }
}
