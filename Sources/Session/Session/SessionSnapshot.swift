import Capture
import Media
import Pipeline

/// The state and figures of a session at one moment.
package struct SessionSnapshot: Sendable {
    /// A sound track.
    package struct Audio: Sendable {
        /// The PulseAudio source, file or program; nil while no source is open.
        package var source: String?
        /// The highest peak of the last second, in dB below full scale; nil if there was no sound.
        package var level: Double?
        /// The difference between the source's clock and the session's clock, in ppm.
        package var drift = 0.0
        package var isMuted = false
        /// Why no source is open; nil while one is, and before that is known.
        package var problem: PipelineNotice?

        package init(
            source: String?, level: Double?, drift: Double = 0, isMuted: Bool = false, problem: PipelineNotice? = nil
        ) {
            self.source = source
            self.problem = problem
            self.level = level
            self.drift = drift
            self.isMuted = isMuted
        }
    }

    /// A rule that hides windows.
    package struct HiddenWindows: Sendable {
        package var rule: String
        /// The number of windows that the rule selects at present, without their dialogs and menus. Nil until the rule
        /// is applied.
        package var count: Int?
    }

    package var state: SessionState
    package var elapsed: MediaTime
    /// Nil until it is open.
    package var source: SourceDescription?
    package var sourceSize: PixelSize?
    /// True if viewers get the slate because the screen is locked.
    package var isLocked = false
    /// True if viewers get the slate outside of a pause: the screen is locked, or the source shows nothing.
    package var isWithheld = false
    /// The picture of the first rendition.
    package var video: RenditionFigures?
    package var app: Audio?
    package var mic: Audio?
    package var hiddenWindows: [HiddenWindows] = []
    /// Why the source ended, and the session with it; nil if the session runs or ends for another reason.
    package var endReason: SourceNotice?
    package var destinations: [DestinationSnapshot]
}

extension SessionSnapshot {
    /// Creates the snapshot of a session without a source.
    package init(state: SessionState, elapsed: MediaTime, destinations: [DestinationSnapshot]) {
        self.init(state: state, elapsed: elapsed, source: nil, destinations: destinations)
    }
}
