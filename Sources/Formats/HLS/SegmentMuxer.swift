import Media
import Mux

/// The muxer of the segments. Append packets in order; `cut` returns the remaining bytes of a segment.
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

    /// The initialisation section of the segments, or nil if the format has none.
    var header: [UInt8]? {
        if case .fragmented(let muxer) = self { muxer.header } else { nil }
    }

    /// Appends a packet and returns its bytes for the current segment. In a transport stream, tables precede each
    /// keyframe, so that a segment can start there.
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

    /// Returns the remaining bytes of the current segment, which ends before `next`.
    mutating func cut(before next: EncodedPacket?) -> [UInt8] {
        guard case .fragmented(var muxer) = self else { return [] }
        let bytes = muxer.cut(before: next)
        self = .fragmented(muxer)
        return bytes
    }
}
