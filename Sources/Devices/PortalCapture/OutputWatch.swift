import COutputs
import Media

/// The connection to a Wayland compositor that reports its monitors. Use it on one thread. It never waits.
final class OutputWatch {
    /// What is known about the monitors.
    private(set) var outputs = KnownOutputs()

    private let list: OpaquePointer
    private var isConnected = true

    /// Connects to the display, a path or a name in the folder of the session. Returns nil if no compositor accepts it.
    init?(display: String) {
        guard let list = cout_open(display) else { return nil }
        self.list = list
    }

    deinit {
        cout_close(list)
    }

    /// Notes what changed.
    func update(at now: MediaTime) {
        guard isConnected else { return }
        isConnected = cout_update(list)
        // The end of the compositor removes no output.
        guard isConnected else { return }
        outputs.update(
            (0..<cout_count(list)).map { (String(cString: cout_name(list, $0)), cout_changes(list, $0)) }, at: now)
    }
}

/// The monitors of a Wayland desktop, and which of them went away.
///
/// The desktop ends a sharing in the same way when the user stops it and when the shared monitor is switched off or
/// unplugged, or, as Hyprland, it does not end it then. Only the list of the compositor's outputs tells these apart.
package struct KnownOutputs: Equatable, Sendable {
    /// An output that went away, at a time of the session.
    private struct Loss: Equatable, Sendable {
        var name: String
        var time: MediaTime
    }

    private var names: [String] = []
    private var changes: [String: UInt32] = [:]
    private var losses: [Loss] = []

    package init() {}

    /// Notes the outputs that there are now, each with the number of times that the compositor described it.
    ///
    /// The name of a new output follows after the output. Compositors without version 4 of wl_output send none, and
    /// their outputs, with an empty name, do not count.
    package mutating func update(_ found: [(name: String, changes: UInt32)], at now: MediaTime) {
        let current = found.map(\.name).filter { !$0.isEmpty }
        changes = Dictionary(found, uniquingKeysWith: +)
        for name in Set(names).subtracting(current) { losses.append(Loss(name: name, time: now)) }
        losses.removeAll { current.contains($0.name) }
        names = current
    }

    /// True if the output of this name was there and went away.
    package func isGone(_ name: String) -> Bool { losses.contains { $0.name == name } }

    /// The shared output, if it went away since `time`. If nothing is known about an output `name`, it is the only one
    /// that went away.
    package func loss(of name: String?, since time: MediaTime) -> String? {
        if let name, has(name) || isGone(name) { return isGone(name) ? name : nil }
        let recent = losses.filter { $0.time >= time }
        return recent.count == 1 ? recent.first?.name : nil
    }

    /// True if there is an output of this name.
    package func has(_ name: String) -> Bool { names.contains(name) }

    /// How often the compositor described the output, which it does after each change of its size, scale or direction.
    /// If nothing is known about an output `name`, all outputs count.
    package func changes(of name: String?) -> UInt32 {
        name.flatMap { changes[$0] } ?? changes.values.reduce(0, +)
    }
}
