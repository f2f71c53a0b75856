import Media

/// Writes raw I420 or I444 pictures as YUV4MPEG2 with a fixed frame rate (yuv4mpeg(5) of mjpegtools).
///
/// Y4M has no timestamps: frame n is the picture n / `frameRate` seconds after the first one. If packets were dropped,
/// or variable pacing omitted ticks, the muxer repeats the previous picture. It drops a packet whose frame was already
/// written.
package struct Y4MMuxer: Muxer {
    private static let frameHeader: [UInt8] = Array("FRAME\n".utf8)

    private var format: VideoTrackFormat?
    /// The tick of the first picture, counted from time zero. Nil before that picture.
    private var firstTick: Int64?
    /// The number of the next frame.
    private var nextFrame: Int64 = 0
    private var lastPicture: [UInt8] = []

    /// Creates a muxer that waits for `begin`.
    package init() {}

    /// Returns the stream header; empty if the stream has no raw picture track.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        format = nil
        firstTick = nil
        nextFrame = 0
        lastPicture = []
        guard let video = stream.video, let colours = Self.colourSpace(video.codec), video.frameRate > 0 else {
            return []
        }
        format = video
        let size = video.size
        return Array(
            "YUV4MPEG2 W\(size.width) H\(size.height) F\(video.frameRate):1 Ip A1:1 \(colours) XCOLORRANGE=LIMITED\n"
                .utf8)
    }

    /// Returns the frames up to and including the packet's. Empty for sound, for a picture of another size, and for a
    /// frame that was already written.
    ///
    /// After a long gap, one call returns only a part of the repeats, which limits memory; later calls return the rest.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] { Array(pieces(of: packet).joined()) }

    /// The headers and pictures of `append`.
    package mutating func pieces(of packet: EncodedPacket) -> [[UInt8]] {
        guard let format, packet.track == .screen, packet.data.count == format.rawPictureByteCount else { return [] }
        let tick = packet.presentationTime.value(timescale: Int64(format.frameRate))
        let frame = tick - (firstTick ?? tick)
        firstTick = firstTick ?? tick
        guard frame >= nextFrame else { return [] }
        let repeats = Int(min(frame - nextFrame, Int64(maximumRepeats(format))))
        let pictures = repeatElement(lastPicture, count: repeats) + [packet.data]
        lastPicture = packet.data
        nextFrame += Int64(repeats) + 1
        return pictures.flatMap { [Self.frameHeader, $0] }
    }

    /// Returns no bytes: the stream ends with its last frame.
    package mutating func end() -> MuxEnding {
        MuxEnding()
    }

    /// The name of the picture's layout in the header; nil if the video is encoded.
    private static func colourSpace(_ codec: VideoTrackFormat.Codec) -> String? {
        switch codec {
        // A chroma value is that of the centre of its four pixels.
        case .i420: "C420jpeg"
        case .i444: "C444"
        case .h264: nil
        }
    }

    /// At most 10 s or 64 MB, but at least half a second: variable pacing usually omits 200 ms.
    private func maximumRepeats(_ format: VideoTrackFormat) -> Int {
        let byMemory = 64_000_000 / max(1, format.rawPictureByteCount ?? 1)
        return max((format.frameRate + 1) / 2, min(10 * format.frameRate, byMemory))
    }
}
