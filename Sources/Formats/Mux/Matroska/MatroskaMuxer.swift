import Bitstream
import Media

/// Writes Matroska (RFC 9559): H.264 and AAC, with times in milliseconds.
///
/// A file has clusters of about a second, in which the blocks of all tracks are in the order of their decode times, and
/// at the end an index of the keyframes and the duration. Without its end it is playable up to its last cluster. For a
/// pipe, each block is written when its packet arrives, in clusters of unknown size.
package struct MatroskaMuxer: Muxer {
    private struct Block: Sendable {
        let track: Int
        /// The time at which it is shown or heard, and the time of decoding, in milliseconds.
        let time: Int64
        let decodeTime: Int64
        let isKeyframe: Bool
        let data: [UInt8]
    }

    /// A cluster longer than this ends at the next block, in milliseconds. A block's time is 16 bits, relative to its
    /// cluster.
    private static let clusterDuration: Int64 = 1000

    private let isSeekable: Bool
    private var stream = StreamDescription(video: nil, audio: [])
    private var tracks: [MatroskaTrack] = []
    private var interleaver = Interleaver<Block>(trackCount: 0)
    /// The blocks of the present cluster of a file.
    private var cluster: [Block] = []
    /// The time of the present cluster of a pipe, in milliseconds.
    private var clusterTime: Int64?
    /// The bytes that were returned.
    private var position: UInt64 = 0
    private var header = MatroskaHeader.Positions()
    /// The keyframes: their times in milliseconds, and the positions of their clusters in the segment.
    private var cues: [(time: Int64, track: Int, position: UInt64)] = []
    /// The end of the last block, in milliseconds.
    private var duration: Int64 = 0

    /// - Parameter isSeekable: true for a file, which gets an index and its duration at the end.
    package init(isSeekable: Bool) {
        self.isSeekable = isSeekable
    }

    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        self = MatroskaMuxer(isSeekable: isSeekable)
        self.stream = stream
        tracks = MatroskaTrack.all(of: stream)
        interleaver = Interleaver(trackCount: tracks.count)
        let bytes: [UInt8]
        (bytes, header) = MatroskaHeader.bytes(of: stream, tracks, isSeekable: isSeekable)
        position = UInt64(bytes.count)
        return bytes
    }

    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard let index = tracks.firstIndex(where: { $0.track == packet.track }) else { return [] }
        let track = tracks[index]
        // The delay makes the times of the priming positive.
        let time = (packet.presentationTime + track.delay).milliseconds
        guard time >= 0 else { return [] }
        let block = Block(
            track: index, time: time, decodeTime: packet.decodeTime.milliseconds, isKeyframe: packet.isKeyframe,
            data: packet.data)
        duration = max(duration, (packet.presentationTime + track.packetDuration).milliseconds)
        guard isSeekable else { return count(live(block)) }
        return count(interleaver.add(block, time: block.decodeTime, track: index).flatMap { add($0) })
    }

    package mutating func end() -> MuxEnding {
        guard isSeekable else { return MuxEnding() }
        let bytes = count(interleaver.end().flatMap { add($0) } + endCluster())
        let cuesPosition = position - header.segmentData
        let index = count(self.index)
        var size = ByteWriter(capacity: 8)
        size.u64((position - header.segmentData) | 1 << 56)
        var length = ByteWriter(capacity: 12)
        length.element(.duration, float: Double(duration))
        return MuxEnding(
            bytes: bytes, index: index,
            patches: [
                .init(offset: header.segmentData - 8, bytes: size.bytes),
                .init(offset: header.duration, bytes: length.bytes),
                .init(offset: header.segmentData, bytes: header.seekHead(cues: index.isEmpty ? nil : cuesPosition)),
            ])
    }

    private mutating func count(_ bytes: [UInt8]) -> [UInt8] {
        position += UInt64(bytes.count)
        return bytes
    }

    // MARK: Clusters

    /// True if the block begins a new cluster after one that began at `start`: each keyframe of the picture does.
    private func begins(_ block: Block, after start: Int64?) -> Bool {
        guard let start else { return true }
        let isPicture = tracks[block.track].track == .screen
        return isPicture && block.isKeyframe || abs(block.time - start) >= Self.clusterDuration
    }

    /// Returns a block of a pipe, with the start of a cluster if one begins.
    private mutating func live(_ block: Block) -> [UInt8] {
        var writer = ByteWriter(capacity: block.data.count + 40)
        if begins(block, after: clusterTime) {
            clusterTime = block.time
            writer.start(.cluster)
            writer.element(.timestamp, UInt64(block.time))
        }
        Self.write(block, cluster: clusterTime ?? block.time, to: &writer)
        return writer.bytes
    }

    /// Adds a block of a file. Returns the cluster that has ended, with the bytes before it.
    private mutating func add(_ block: Block) -> [UInt8] {
        let ended = begins(block, after: cluster.first?.time) ? endCluster() : []
        cluster.append(block)
        return ended
    }

    private mutating func endCluster() -> [UInt8] {
        guard let first = cluster.first else { return [] }
        var content = ByteWriter(capacity: cluster.reduce(16) { $0 + $1.data.count + 16 })
        content.element(.timestamp, UInt64(first.time))
        for block in cluster { Self.write(block, cluster: first.time, to: &content) }
        if first.isKeyframe, tracks[first.track].track == .screen || stream.video == nil {
            cues.append((first.time, first.track, position - header.segmentData))
        }
        cluster = []
        var writer = ByteWriter(capacity: content.count + 12)
        writer.element(.cluster, content.bytes)
        return writer.bytes
    }

    /// SimpleBlock (RFC 9559, section 10.2): the track, the time relative to the cluster, flags and the data.
    private static func write(_ block: Block, cluster: Int64, to writer: inout ByteWriter) {
        var data = ByteWriter(capacity: block.data.count + 4)
        data.u8(0x80 | UInt8(block.track + 1))
        data.i16(Int16(clamping: block.time - cluster))
        data.u8(block.isKeyframe ? 0x80 : 0)
        data.append(block.data)
        writer.element(.simpleBlock, data.bytes)
    }

    /// Cues (RFC 9559, section 5.1.5).
    private var index: [UInt8] {
        guard !cues.isEmpty else { return [] }
        var writer = ByteWriter(capacity: cues.count * 24)
        writer.element(.cues) { all in
            for cue in cues {
                all.element(.cuePoint) { point in
                    point.element(.cueTime, UInt64(cue.time))
                    point.element(.cueTrackPositions) { positions in
                        positions.element(.cueTrack, UInt64(cue.track + 1))
                        positions.element(.cueClusterPosition, cue.position)
                    }
                }
            }
        }
        return writer.bytes
    }
}
