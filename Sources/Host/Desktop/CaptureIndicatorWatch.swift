import Bus

/// Watches whether a session captures the desktop, by the name that sessions own on the session bus
/// (`CaptureIndicator`).
package final class CaptureIndicatorWatch {
    private let bus: BusConnection

    /// Returns nil if no bus answers at `address`.
    package init?(address: String) {
        guard let bus = BusConnection(address: address) else { return nil }
        self.bus = bus
        // Subscribe before reading the state, so that no change is missed.
        bus.subscribe(
            "type='signal',sender='\(BusObject.bus.service)',member='NameOwnerChanged',arg0='\(CaptureIndicator.name)'")
    }

    package var isCaptured: Bool { bus.hasOwner(CaptureIndicator.name) }

    /// Blocks until the desktop is captured, or until it is not. Returns false if the bus ends before that.
    package func wait(untilCaptured wanted: Bool) -> Bool {
        while isCaptured != wanted {
            guard bus.isConnected else { return false }
            _ = bus.nextMessage(within: .seconds(60), unlessReadable: -1)
        }
        return true
    }
}
