/// The currency between capture, mix and encode: pixels or sound, with the track and the time at which it was taken.
///
/// ReplayKit's `CMSampleBuffer` with its `RPSampleBufferType`. Times of one track never run backwards.
public struct SampleBuffer: Sendable {
    public enum Payload: Sendable {
        case picture(Picture)
        case sound(Sound)
    }

    public let track: Track
    /// When the data was taken: the grab returned, or the first of the sound's frames was heard.
    public let presentationTime: MediaTime
    public let payload: Payload

    public init(track: Track, presentationTime: MediaTime, payload: Payload) {
        self.track = track
        self.presentationTime = presentationTime
        self.payload = payload
    }
}

/// The changed parts of a picture, or all of it.
public struct Picture: Sendable {
    /// A rectangle of pixels, and where in the picture its top left belongs.
    public struct Patch: Sendable {
        public let x: Int
        public let y: Int
        public let pixels: PixelBuffer

        public init(x: Int, y: Int, pixels: PixelBuffer) {
            self.x = x
            self.y = y
            self.pixels = pixels
        }

        /// The pixels of the picture that this patch gives.
        public var rectangle: PixelRect { PixelRect(x: x, y: y, width: pixels.size.width, height: pixels.size.height) }
    }

    /// The size of the whole picture, in pixels.
    public let size: PixelSize
    /// Pixels for at least every damaged place. Patches from a capture source live until its next grab.
    public let patches: [Patch]
    /// What differs from the picture before this one.
    public let damage: DamageRegion

    public init(size: PixelSize, patches: [Patch], damage: DamageRegion) {
        self.size = size
        self.patches = patches
        self.damage = damage
    }
}

/// Linear PCM: 32-bit floats, interleaved, full scale at ±1.
public struct Sound: Sendable {
    public let format: AudioFormat
    /// `frameCount` × `format.channelCount` values.
    public let samples: [Float]

    public init(format: AudioFormat, samples: [Float]) {
        self.format = format
        self.samples = samples
    }

    /// Sample frames: one value for each channel.
    public var frameCount: Int { samples.count / format.channelCount }
}

/// The shape of linear PCM.
public struct AudioFormat: Hashable, Sendable {
    /// Sample frames a second.
    public let sampleRate: Int
    public let channelCount: Int

    public init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// What everything past the mixer speaks: 48 kHz stereo.
    public static let broadcast = AudioFormat(sampleRate: 48_000, channelCount: 2)
}
