import Media
import Mux

/// The container of the segments. Packets go in one after another; a cut says which bytes belong to which segment.
enum SegmentMuxer: Sendable {
    case transport(MPEGTSMuxer)
    case fragmented(SegmentedMP4Muxer)

    init(_ format: SegmentFormat, stream: StreamDescription) {
        switch format {
        case .ts:
            var muxer = MPEGTSMuxer()
            _ = muxer.begin(stream)
            self = .transport(muxer)
        case .fmp4: self = .fragmented(SegmentedMP4Muxer(stream))
        }
    }

    /// What stands apart from the segments; nil where nothing does.
    var header: [UInt8]? {
        if case .fragmented(let muxer) = self { muxer.header } else { nil }
    }

    /// What the packet adds to the segment that is open. A keyframe brings tables with it, so that a transport stream can start there.
    mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        switch self {
        case .transport(var muxer):
            let bytes = muxer.append(packet)
            self = .transport(muxer)
            return bytes
        case .fragmented(var muxer):
            let bytes = muxer.append(packet)
            self = .fragmented(muxer)
            return bytes
        }
    }

    /// What is left for the open segment, before it ends with `next`.
    mutating func cut(before next: EncodedPacket?) -> [UInt8] {
        guard case .fragmented(var muxer) = self else { return [] }
        let bytes = muxer.cut(before: next)
        self = .fragmented(muxer)
        return bytes
    }
}
