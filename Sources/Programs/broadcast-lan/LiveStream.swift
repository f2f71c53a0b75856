import BroadcastExtension
import Media
import Mux

/// A message for players: a part of a stream, with what they need to know about it. All viewers share its bytes.
package struct LiveFragment: Sendable, Equatable {
    package enum Kind: UInt8, Sendable {
        case initialization = 0
        case picture = 1
        case sound = 2
    }

    package var kind: Kind
    package var isKeyframe: Bool
    /// The header of the message (`docs/protocols.md`, "Watching in a browser"), and fragmented MP4.
    package var message: [UInt8]

    package init(kind: Kind, isKeyframe: Bool = false, time: MediaTime, content: [UInt8]) {
        self.kind = kind
        self.isKeyframe = isKeyframe
        var message: [UInt8] = [kind.rawValue, isKeyframe ? 1 : 0, 0, 0]
        message.reserveCapacity(12 + content.count)
        withUnsafeBytes(of: time.seconds.bitPattern.bigEndian) { message += $0 }
        self.message = message + content
    }
}

/// The stream as players get it: its description, the fragments of its packets, and the newest group of pictures. A
/// value without I/O and without a clock.
package struct LiveStream: Sendable {
    /// The size in bytes above which a group of pictures is not kept for new viewers.
    private static let maximumGroup = 16 << 20

    /// What a player must know before the first fragment.
    package struct Description: Sendable, Equatable, Codable {
        /// The version of the messages.
        package var hello = 1
        /// The codecs as in RFC 6381; `sound` is nil without sound.
        package var video: String?
        package var sound: String?
        package var width: Int
        package var height: Int
        package var fps: Int
        package var title: String?
        /// `CLOCK_MONOTONIC` of the broadcasting computer in milliseconds at the time zero; nil if it is not known.
        package var origin: Double?
    }

    package let description: Description
    private var writer: LiveMP4Writer
    private let stream: StreamDescription
    /// The fragments since the newest keyframe. Empty if it was too large.
    package private(set) var group: [LiveFragment] = []
    private var groupSize = 0

    package init(_ stream: StreamDescription, origin: Int64?) {
        self.stream = stream
        writer = LiveMP4Writer(stream)
        description = Description(
            video: stream.video.flatMap(Self.codec), sound: stream.audio.first == nil ? nil : "mp4a.40.2",
            width: stream.video?.size.width ?? 0, height: stream.video?.size.height ?? 0,
            fps: stream.video?.frameRate ?? 0, title: stream.title, origin: origin.map { Double($0) / 1_000_000 })
    }

    private static func codec(_ video: VideoTrackFormat) -> String? {
        guard case .h264(let sequence, _) = video.codec, sequence.count > 3 else { return nil }
        func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return "avc1." + sequence[1...3].map(hex).joined()
    }

    /// What a player appends first.
    package func initialization(withSound: Bool) -> LiveFragment {
        let sound = withSound ? stream.audio.prefix(1).map(\.track) : []
        return LiveFragment(
            kind: .initialization, time: .zero, content: writer.initialization(of: [.screen] + sound))
    }

    /// Adds a packet. Returns its fragment; nil for a track that no player gets.
    package mutating func add(_ packet: EncodedPacket) -> LiveFragment? {
        guard packet.track == .screen || packet.track == stream.audio.first?.track,
            let content = writer.fragment(packet)
        else { return nil }
        let isPicture = packet.track == .screen
        let fragment = LiveFragment(
            kind: isPicture ? .picture : .sound, isKeyframe: isPicture && packet.isKeyframe,
            time: packet.presentationTime, content: content)
        if fragment.isKeyframe { (group, groupSize) = ([], 0) }
        guard fragment.isKeyframe || !group.isEmpty else { return fragment }
        groupSize += fragment.message.count
        if groupSize > Self.maximumGroup { (group, groupSize) = ([], 0) } else { group.append(fragment) }
        return fragment
    }
}
