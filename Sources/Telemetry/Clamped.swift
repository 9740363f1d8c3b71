extension FixedWidthInteger {
  /// The sum, or the largest number where it is none: counts that others tell may be of any size.
  public func addingClamped(_ more: Self) -> Self {
    let (sum, isOverflow) = addingReportingOverflow(more)
    return isOverflow ? (more < 0 ? .min : .max) : sum
  }

  /// Adds, up to the largest number.
  public mutating func addClamped(_ more: Self) { self = addingClamped(more) }
}
