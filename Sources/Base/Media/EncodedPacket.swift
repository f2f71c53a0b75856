/// One access unit of one track, as produced by an encoder. Encoders, muxers and destinations exchange packets of this
/// type.
///
/// Invariant: within a track, decode times increase, and the first packet of a track is a keyframe. All destinations
/// share `data` without a copy.
public struct EncodedPacket: Sendable {
    public let track: Track
    public let presentationTime: MediaTime
    /// Equal to `presentationTime` if frames are not reordered.
    public let decodeTime: MediaTime
    /// Video: true for an IDR picture. Audio and raw video: always true.
    public let isKeyframe: Bool
    /// True if samples were dropped between the previous packet and this one.
    public var isDiscontinuity: Bool
    /// The packet's number within the track, from 0, assigned by the encoder. A jump shows that packets were dropped.
    /// The number after 2³² - 1 is 0.
    public let sequence: UInt32
    /// H.264: NAL units without parameter sets, each after its length as 4 bytes, big endian (ISO/IEC 14496-15,
    /// 5.3.4.2). AAC: one raw_data_block without an ADTS header. Raw video: the I420 planes Y, U, V without padding.
    public let data: [UInt8]
    /// The buffer whose memory `data` shares; nil for other packets. While a packet exists, the buffer is not reused.
    private let owner: PixelBuffer?

    public init(
        track: Track, presentationTime: MediaTime, decodeTime: MediaTime, isKeyframe: Bool,
        isDiscontinuity: Bool = false,
        sequence: UInt32, data: [UInt8]
    ) {
        self.track = track
        self.presentationTime = presentationTime
        self.decodeTime = decodeTime
        self.isKeyframe = isKeyframe
        self.isDiscontinuity = isDiscontinuity
        self.sequence = sequence
        self.data = data
        owner = nil
    }

    /// A packet of raw video that shares the memory of `frame`.
    package init(sharing frame: PixelBuffer, at time: MediaTime, sequence: UInt32) {
        track = .screen
        presentationTime = time
        decodeTime = time
        isKeyframe = true
        isDiscontinuity = false
        self.sequence = sequence
        data = frame.sharedBytes
        owner = frame
    }

    private init(_ packet: EncodedPacket, presentation: MediaTime, decode: MediaTime) {
        track = packet.track
        presentationTime = presentation
        decodeTime = decode
        isKeyframe = packet.isKeyframe
        isDiscontinuity = packet.isDiscontinuity
        sequence = packet.sequence
        data = packet.data
        owner = packet.owner
    }

    /// Returns the packet with `offset` added to both times. The result shares `data`.
    public func moved(by offset: MediaTime) -> EncodedPacket {
        retimed(presentation: presentationTime + offset, decode: decodeTime + offset)
    }

    /// Returns the packet with other times. The result shares `data`.
    public func retimed(presentation: MediaTime, decode: MediaTime) -> EncodedPacket {
        EncodedPacket(self, presentation: presentation, decode: decode)
    }
}
