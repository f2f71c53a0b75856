import BroadcastExtension
import Media
import Mux

/// A message for players: a part of a stream, with what they need to know about it. All viewers share its bytes.
///
/// Pictures are fragmented MP4. Sound is PCM of 16 bits, little endian: players hold back sound in a media element for
/// a quarter of a second, and play PCM beside it at once.
package struct LiveFragment: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case initialization = 0
        case picture = 1
        case sound = 2
    }

    package var kind: Kind
    package var isKeyframe: Bool
    /// The header of the message (`docs/protocols.md`, "Watching in a browser"), and the content.
    package var message: [UInt8]

    /// - Parameter durationPosition: where the content has the duration of its picture, in four bytes; nil if it has
    ///   none.
    package init(
        kind: Kind, isKeyframe: Bool = false, time: MediaTime, content: [UInt8], durationPosition: Int? = nil
    ) {
        self.kind = kind
        self.isKeyframe = isKeyframe
        let position = UInt16(clamping: durationPosition ?? 0)
        var message: [UInt8] = [
            kind.rawValue, isKeyframe ? 1 : 0, UInt8(position >> 8), UInt8(truncatingIfNeeded: position),
        ]
        message.reserveCapacity(12 + content.count)
        withUnsafeBytes(of: time.seconds.bitPattern.bigEndian) { message += $0 }
        self.message = message + content
    }
}

/// The stream as players get it: its description, the fragments of its packets, and the newest group of pictures. A
/// value without I/O and without a clock.
package struct LiveStream: Sendable {
    /// What a player must know before the first fragment.
    package struct Description: Sendable, Equatable, Codable {
        /// The version of the messages.
        package var hello = 1
        /// The codec as in RFC 6381.
        package var video: String?
        /// Sample frames a second; nil without sound.
        package var rate: Int?
        package var channels: Int?
        package var width: Int
        package var height: Int
        package var fps: Int
        package var title: String?
        /// `CLOCK_MONOTONIC` of the broadcasting computer in milliseconds at the time zero; nil if it is not known.
        package var origin: Double?
    }

    package let description: Description
    private var writer: LiveMP4Writer
    private var newest = PictureGroup<LiveFragment>()
    /// The fragments of pictures since the newest keyframe. Empty if they are too many.
    package var group: [LiveFragment] { newest.pictures }

    /// - Parameters:
    ///   - video: the pictures.
    ///   - sound: nil without sound.
    ///   - origin: `CLOCK_MONOTONIC` in nanoseconds at the time zero; nil if it is not known.
    package init(_ video: VideoTrackFormat, sound: AudioFormat?, title: String?, origin: Int64?) {
        writer = LiveMP4Writer(StreamDescription(video: video, audio: [], title: title))
        description = Description(
            video: Self.codec(video), rate: sound?.sampleRate, channels: sound?.channelCount,
            width: video.size.width, height: video.size.height, fps: video.frameRate, title: title,
            origin: origin.map { Double($0) / 1_000_000 })
    }

    private static func codec(_ video: VideoTrackFormat) -> String? {
        guard case .h264(let sequence, _) = video.codec, sequence.count > 3 else { return nil }
        func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return "avc1." + sequence[1...3].map(hex).joined()
    }

    /// What a player appends first.
    package func initialization() -> LiveFragment {
        LiveFragment(kind: .initialization, time: .zero, content: writer.initialization(of: [.screen]))
    }

    /// Adds a packet. Returns its fragment.
    package mutating func add(_ packet: EncodedPacket) -> LiveFragment? {
        guard packet.track == .screen else {
            return LiveFragment(kind: .sound, time: packet.presentationTime, content: packet.data)
        }
        guard let written = writer.fragment(packet) else { return nil }
        let fragment = LiveFragment(
            kind: .picture, isKeyframe: packet.isKeyframe, time: packet.presentationTime, content: written.bytes,
            durationPosition: written.durationPosition)
        newest.add(
            fragment, size: fragment.message.count, isKeyframe: fragment.isKeyframe,
            presented: packet.presentationTime)
        return fragment
    }
}
