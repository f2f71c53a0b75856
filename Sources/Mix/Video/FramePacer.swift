import Media

/// When a tick without a change still gives a frame.
package struct FramePacer: Sendable {
    package enum Mode: String, Sendable, Equatable, CaseIterable {
        /// Every tick gives a frame, as live services expect it.
        case constant
        /// A frame when something changed, and at least every 200 ms.
        case variable
    }

    /// The longest time without a frame in variable mode: players and seeking stay responsive.
    package static let longestGap = MediaTime(milliseconds: 200)

    private let mode: Mode
    private var lastShown: MediaTime?

    package init(mode: Mode) {
        self.mode = mode
    }

    /// Whether the tick at `time` gives a frame.
    ///
    /// - Parameters:
    ///   - isChanged: the picture differs from the one before.
    ///   - isSettled: repeating the last frame gives as good a picture as encoding it again.
    package mutating func shows(at time: MediaTime, isChanged: Bool, isSettled: Bool) -> Bool {
        let isDue = lastShown.map { time - $0 >= Self.longestGap } ?? isChanged
        guard isChanged || mode == .constant || !isSettled || isDue else { return false }
        lastShown = time
        return true
    }
}
