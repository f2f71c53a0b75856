import Concurrency
import Glibc

/// Waits until the picture of an X display may have changed. Use it on the capture thread.
final class ChangeWaiter {
    /// The minimum time between two waits that end with a move of the pointer, in nanoseconds.
    private static let moveInterval: Int64 = 15_000_000

    /// The time from the first event of a drawing to its end, in microseconds.
    private static let settlingTime: UInt32 = 2000

    private let connection: X11Connection
    private let events: EventDispatcher
    private let cursor: CursorOverlay?
    /// When a wait last ended with a change; `CLOCK_MONOTONIC` in nanoseconds.
    private var lastChange: Int64 = 0

    init(connection: X11Connection, events: EventDispatcher, cursor: CursorOverlay?) {
        self.connection = connection
        self.events = events
        self.cursor = cursor
    }

    /// See `ScreenSource.waitForChange(until:or:)`. Processes the events that arrive.
    func wait(until deadline: Int64, or wake: WakeSignal) -> Bool {
        if let cursor, !cursor.isAnnounced {
            let look = SessionClock.monotonic() + CursorOverlay.interval.nanoseconds
            return waitForDrawing(until: min(look, deadline), or: wake) || look < deadline && !wake.isSignalled
        }
        var end = deadline
        while waitForDrawing(until: end, or: wake) {
            // A mouse can report 1000 moves a second, also while no pixel of the picture changes.
            guard events.dispatchPending(), SessionClock.monotonic() - lastChange < Self.moveInterval else {
                lastChange = SessionClock.monotonic()
                return true
            }
            end = min(deadline, lastChange + Self.moveInterval)
        }
        guard end < deadline, !wake.isSignalled else { return false }
        lastChange = SessionClock.monotonic()
        return true
    }

    /// Waits for an event, and then until the drawing is probably complete: programs draw in several steps, and the
    /// first one causes the event.
    private func waitForDrawing(until deadline: Int64, or wake: WakeSignal) -> Bool {
        guard connection.waitForEvent(until: deadline, or: wake) else { return false }
        let rest = max(0, deadline - SessionClock.monotonic()) / 1000
        usleep(min(Self.settlingTime, UInt32(clamping: rest)))
        return true
    }
}
