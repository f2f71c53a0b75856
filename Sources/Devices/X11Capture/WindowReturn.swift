import CX11
import Capture
import Media
import WindowPrivacy

/// Finds the next window of an application that restarts: one that matches the rule by which the captured window was
/// selected.
struct WindowReturn {
    enum Finding {
        /// - Parameter isFirst: true for the first look after the captured window was closed.
        case waits(isFirst: Bool)
        case found(WindowTarget)
        case timedOut
    }

    /// How often the windows of the display are read.
    private static let interval = MediaTime(milliseconds: 250)

    let rule: HiddenWindowRule
    let timeout: MediaTime
    /// The first look after the captured window was closed; nil while there is one.
    private var since: MediaTime?
    private var nextLook = MediaTime.zero

    /// Returns nil if the request does not wait for such a window.
    init?(_ request: ScreenRequest) {
        guard case .matchingWindow(let rule) = request.selection, request.windowTimeout > .zero else { return nil }
        self.rule = rule
        timeout = request.windowTimeout
    }

    /// Looks for the window while none is captured. If several windows match, none is found, because the wrong one must
    /// not be shown.
    ///
    /// - Parameter now: the session's time.
    mutating func look(on connection: X11Connection, at now: MediaTime) throws(CaptureError) -> Finding {
        let isFirst = since == nil
        let start = since ?? now
        since = start
        guard isFirst || now >= nextLook else { return .waits(isFirst: false) }
        nextLook = now + Self.interval
        if let target = try target(on: connection) {
            since = nil
            return .found(target)
        }
        return now - start > timeout ? .timedOut : .waits(isFirst: isFirst)
    }

    private func target(on connection: X11Connection) throws(CaptureError) -> WindowTarget? {
        let found = try connection.windows(matching: rule)
        guard let window = found.first, found.count == 1 else { return nil }
        do throws(CaptureError) {
            return try WindowTarget(connection: connection, window: window)
        } catch .noSuchWindow {
            // It was closed meanwhile.
            return nil
        }
    }
}
