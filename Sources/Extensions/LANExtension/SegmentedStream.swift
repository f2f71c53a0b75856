import FoundationEssentials
import HLS
import Media
import Opus

/// A stream as HLS (RFC 8216), kept in memory, for players that can do neither WebRTC nor Media Source Extensions. It
/// has no I/O and no clock.
package struct SegmentedStream {
    package enum Variant: String, CaseIterable, Sendable {
        /// The pictures, and the sound if there is any. It is Opus: the broadcast comes with PCM, and Opus is encoded
        /// for WebRTC anyway.
        case live
        /// For players without Opus. They choose it by its address: Chromium 156 changes between the variants of one
        /// playlist as it likes, and cannot go on then.
        case pictures

        package var playlist: String { rawValue + ".m3u8" }
    }

    private static let segmentTime = MediaTime(milliseconds: 2000)
    /// Players begin so many segments before the end of the playlist (RFC 8216, 6.3.3). One that gets fewer plays them
    /// and stops.
    private static let segmentsOfStart = 3
    private static let window = 5
    /// In bytes. Above it, segments that the playlist does not name any more are not kept.
    private static let maximumSize = 16 << 20

    private let opus: OpusSound?
    /// The format of the packets of Opus; nil without sound.
    private let sound: AudioTrackFormat?
    private var segmenter: Segmenter
    private var publication: Publication
    private var objects: [String: StoredObject] = [:]
    private var size = 0
    private var sequence: UInt32 = 0
    private var segmentCount = 0
    /// True if a player that begins now goes on without a stop.
    package var isPlayable: Bool { segmentCount >= Self.segmentsOfStart }

    /// - Parameters:
    ///   - video: the pictures.
    ///   - sound: nil without sound.
    ///   - epoch: the date of the presentation time zero.
    ///   - now: the date of the start, for names that are new.
    package init(_ variant: Variant, video: VideoTrackFormat, sound: AudioFormat?, epoch: Date, now: Date) {
        let heard = variant == .live ? sound : nil
        opus = heard.flatMap { OpusSound($0) }
        self.sound = heard.map {
            AudioTrackFormat(
                track: .mixed, format: AudioFormat(sampleRate: 48_000, channelCount: $0.channelCount),
                audioSpecificConfig: [], bitrate: OpusSound.usualBitrate, priming: 0)
        }
        segmenter = Segmenter(
            Self.description(video, self.sound), format: .fmp4, duration: Self.segmentTime, epoch: epoch)
        let names = ObjectNames(
            playlist: variant.playlist, format: .fmp4, date: now, number: .random(in: 0...UInt16.max))
        publication = Publication(
            names: names,
            playlist: MediaPlaylist(
                window: Self.window, firstNumber: Int(now.timeIntervalSince1970),
                targetDuration: Int(Self.segmentTime.seconds)),
            maximumWaitingByteCount: .max)
    }

    /// Goes on with other pictures.
    package mutating func change(to video: VideoTrackFormat, at time: MediaTime) {
        if let ended = segmenter.change(to: Self.description(video, sound)) { publish(ended, at: time) }
    }

    private static func description(_ video: VideoTrackFormat, _ sound: AudioTrackFormat?) -> StreamDescription {
        StreamDescription(video: video, audio: [sound].compactMap(\.self))
    }

    /// Adds a packet: a picture, or PCM.
    ///
    /// - Parameter time: now, on a clock that never goes back.
    package mutating func add(_ packet: EncodedPacket, at time: MediaTime) {
        for packet in encoded(packet) {
            if let segment = segmenter.append(packet) { publish(segment, at: time) }
        }
    }

    private mutating func encoded(_ packet: EncodedPacket) -> [EncodedPacket] {
        guard packet.track != .screen else { return [packet] }
        guard let opus else { return [] }
        return opus.append(packet.data, presented: packet.presentationTime).map { packet in
            defer { sequence &+= 1 }
            let time = MediaTime(value: packet.ticks, timescale: 48_000)
            return EncodedPacket(
                track: .mixed, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: sequence,
                data: packet.bytes)
        }
    }

    /// Returns true once if the next picture should be a keyframe.
    package mutating func takeKeyframeRequest() -> Bool { segmenter.takeKeyframeRequest() }

    /// Returns the playlist, a header or a segment; nil if there is no such object.
    package func object(named name: String) -> StoredObject? { objects[name] }

    private mutating func publish(_ segment: Segment, at time: MediaTime) {
        publication.append(segment)
        segmentCount += 1
        while let object = publication.nextUpload() {
            size += object.bytes.count - (objects[object.name]?.bytes.count ?? 0)
            objects[object.name] = object
            publication.completeUpload(at: time)
        }
        let limit = size > Self.maximumSize ? time + MediaTime(milliseconds: 3_600_000) : time
        while let name = publication.nextDeletion(at: limit) {
            size -= objects.removeValue(forKey: name)?.bytes.count ?? 0
            publication.completeDeletion()
        }
    }
}
