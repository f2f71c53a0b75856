import Media

/// Decides whether a tick without a change produces a frame.
package struct FramePacer: Sendable {
    package enum Mode: String, Sendable, Equatable, CaseIterable {
        /// Every tick produces a frame, as live services expect.
        case constant
        /// A tick produces a frame if the picture changed, and at least every 200 ms.
        case variable
    }

    /// The maximum time between frames in variable mode. It keeps players and seeking responsive.
    package static let longestGap = MediaTime(milliseconds: 200)

    private let mode: Mode
    private var lastShown: MediaTime?

    package init(mode: Mode) {
        self.mode = mode
    }

    /// Returns true if the tick at `time` produces a frame.
    ///
    /// - Parameters:
    ///   - isChanged: the picture differs from the previous one.
    ///   - isSettled: repeating the last frame has the same quality as encoding it again.
    package mutating func shows(at time: MediaTime, isChanged: Bool, isSettled: Bool) -> Bool {
        let isDue = lastShown.map { time - $0 >= Self.longestGap } ?? isChanged
        guard isChanged || mode == .constant || !isSettled || isDue else { return false }
        lastShown = time
        return true
    }

    /// The time of the next look at a source in which nothing changes; nil before the first frame. With variable
    /// pacing, a frame is due then. With constant pacing the encoder makes the frames of the ticks up to then.
    package var nextLook: MediaTime? { lastShown.map { $0 + Self.longestGap } }

    /// True if each tick has a frame.
    package var isConstant: Bool { mode == .constant }

    /// Notes a frame that the encoder has made itself at `time`.
    package mutating func noteShown(at time: MediaTime) {
        lastShown = max(lastShown ?? time, time)
    }

    /// Returns true if the last tick, at `time`, still needs a frame.
    package mutating func ends(at time: MediaTime) -> Bool {
        guard let lastShown, lastShown < time else { return false }
        self.lastShown = time
        return true
    }
}
