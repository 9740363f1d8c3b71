/// Placeholder
public struct Together { public struct Settings: Equatable, Sendable { public init() {} } }
