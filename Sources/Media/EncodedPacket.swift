/// One access unit of one track, as an encoder made it: the currency between encode, mux and upload.
///
/// Invariant: within a track, decode times rise; the first packet of a track is a keyframe. `data` is shared by all
/// destinations, never copied for one of them.
public struct EncodedPacket: Sendable {
    public let track: Track
    public let presentationTime: MediaTime
    /// Equal to `presentationTime` where nothing is reordered.
    public let decodeTime: MediaTime
    /// Video: an IDR picture. Audio and raw video: always true.
    public let isKeyframe: Bool
    /// Samples were dropped between the packet before this one and this one.
    public var isDiscontinuity: Bool
    /// Counts the packets of the track from 0, at the encoder: a jump means that some were dropped on the way.
    public let sequence: UInt32
    /// H.264: NAL units, each after its length in 4 bytes, big endian (ISO/IEC 14496-15, 5.3.4.2), without parameter sets.
    /// AAC: one raw_data_block, no ADTS header. Raw video: the I420 planes Y, U, V without padding.
    public let data: [UInt8]

    public init(
        track: Track, presentationTime: MediaTime, decodeTime: MediaTime, isKeyframe: Bool, isDiscontinuity: Bool = false,
        sequence: UInt32, data: [UInt8]
    ) {
        self.track = track
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.isKeyframe = isKeyframe
        self.isDiscontinuity = isDiscontinuity
        self.sequence = sequence
        self.data = data
    }
}
