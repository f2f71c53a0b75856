/// A picture or a piece of sound with its track and capture time. Mixer and encoders exchange samples of this type.
/// The samples of screen sources are lent (`CapturedSample`).
///
/// It corresponds to ReplayKit's `CMSampleBuffer` with its `RPSampleBufferType`. Times within a track never decrease.
public struct SampleBuffer: Sendable {
    public enum Payload: Sendable {
        case picture(Picture)
        case sound(Sound)
    }

    public let track: Track
    /// The time of capture: when the grab returned, or when the first audio frame was recorded.
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
    /// A rectangle of pixels with its position in the picture.
    public struct Patch: Sendable {
        public let x: Int
        public let y: Int
        public let pixels: PixelBuffer

        public init(x: Int, y: Int, pixels: PixelBuffer) {
            self.x = x
            self.y = y
            self.pixels = pixels
        }

        /// The area of the picture that the patch covers.
        public var rectangle: PixelRect { PixelRect(x: x, y: y, width: pixels.size.width, height: pixels.size.height) }
    }

    /// The size of the whole picture, in pixels.
    public let size: PixelSize
    /// The pixels of at least all damaged areas.
    public let patches: [Patch]
    /// The region that can differ from the previous picture.
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

    /// The number of sample frames. A frame has one value for each channel.
    public var frameCount: Int { samples.count / format.channelCount }
}

/// The sample rate and channel count of linear PCM.
public struct AudioFormat: Hashable, Sendable {
    /// Sample frames a second.
    public let sampleRate: Int
    public let channelCount: Int

    public init(sampleRate: Int, channelCount: Int) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// The format after the mixer: 48 kHz stereo.
    public static let broadcast = AudioFormat(sampleRate: 48_000, channelCount: 2)
}
