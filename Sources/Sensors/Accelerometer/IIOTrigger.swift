/// Chooses what makes a sensor take a scan: most drivers' buffers need a trigger, and say EINVAL without one.
struct IIOTrigger: Sendable {
  let device: IIODevice
  let root: AttributeFolder

  enum Choice: Equatable, Sendable {
    /// The driver's buffer needs none (it fills from the chip's own).
    case notNeeded
    /// This one is set already.
    case present(String)
    /// To be written to `trigger/current_trigger`. A timer's folder is where its rate is set.
    case named(String, timer: AttributeFolder?)
    /// Why there is none.
    case missing(String)
  }

  /// The trigger set already; else the device's own; else the only timer trigger there is.
  func choose() -> Choice {
    guard device.folder.has("trigger/current_trigger") else { return .notNeeded }
    let triggers = listed()
    if let present = try? device.folder.read("trigger/current_trigger"), !present.isEmpty {
      let timer = triggers.first { $0.name == present && $0.isTimer }
      return timer.map { .named(present, timer: $0.folder) } ?? .present(present)
    }
    if let own = triggers.first(where: isOwn) { return .named(own.name, timer: nil) }
    let timers = triggers.filter(\.isTimer)
    if timers.count == 1 { return .named(timers[0].name, timer: timers[0].folder) }
    if timers.isEmpty {
      return .missing(
        "the buffer needs a trigger and there is none (no interrupt line in the device tree; or make a timer:"
          + " modprobe iio-trig-hrtimer && mkdir /sys/kernel/config/iio/triggers/hrtimer/judder)")
    }
    let names = timers.map(\.name).joined(separator: ", ")
    return .missing(
      "the buffer needs a trigger; write one of \(names) to \(device.folder.path)/trigger/current_trigger")
  }

  private struct Listed {
    let name: String
    let folder: AttributeFolder
    /// Only timers (iio-trig-hrtimer) have a rate of their own.
    var isTimer: Bool { folder.has("sampling_frequency") }
  }

  private func listed() -> [Listed] {
    root.names().filter { $0.hasPrefix("trigger") }.compactMap { entry in
      let folder = root.folder(entry)
      guard let name = try? folder.read("name"), !name.isEmpty else { return nil }
      return Listed(name: name, folder: folder)
    }
  }

  /// Whether the driver made the trigger for this device's data: `<name>-devN` or, on ST chips, `<name>-trigger`.
  /// Others (`<name>-any-motion-devN`) fire on events.
  private func isOwn(_ trigger: Listed) -> Bool {
    trigger.name == "\(device.name)-dev\(device.number)" || trigger.name == "\(device.name)-trigger"
  }
}
