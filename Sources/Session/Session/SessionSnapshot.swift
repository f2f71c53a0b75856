import Capture
import Encode
import Media

/// The state and figures of a session at one moment.
package struct SessionSnapshot: Sendable {
    /// The picture of the first rendition, and the numbers of its frames since the start.
    package struct Video: Sendable {
        package var size: PixelSize
        /// Frames a second.
        package var frameRate: Int
        /// Frames that differed from the previous one.
        package var captured = 0
        /// Frames that x264 encoded.
        package var encoded = 0
        /// Repeat pictures.
        package var repeated = 0
        /// Frames that were replaced before they were encoded.
        package var dropped = 0
        /// kbit/s over the last two seconds.
        package var bitrate = 0
        /// The encoder's current bitrate in kbit/s; nil if the quality is constant.
        package var targetBitrate: Int?
        /// What the encoder does less of because the machine is too slow.
        package var reduction = EncoderReduction.none
    }

    /// A sound track.
    package struct Audio: Sendable {
        /// The PulseAudio source, file or program; nil while no source is open.
        package var source: String?
        /// The highest peak of the last second, in dB below full scale; nil if there was no sound.
        package var level: Double?
        /// The difference between the source's clock and the session's clock, in ppm.
        package var drift = 0.0
        package var isMuted = false

        package init(source: String?, level: Double?, drift: Double = 0, isMuted: Bool = false) {
            self.source = source
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
    package var video: Video?
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

extension SessionSnapshot.Video {
    /// Creates the figures of a stream without a frame.
    package init(size: PixelSize, frameRate: Int) {
        self.init(size: size, frameRate: frameRate, captured: 0)
    }
}
