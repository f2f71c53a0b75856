import Bitstream
import Media

/// The bare picture track as an H.264 byte stream: a start code before each NAL unit, the parameter sets before each
/// IDR picture (Rec. ITU-T H.264, annex B). It holds no times and no sound.
package struct AnnexBMuxer: Muxer {
    /// Sequence and picture parameter set with their start codes; empty where the stream has no H.264 track.
    private var parameterSets: [UInt8] = []

    /// A muxer that waits for `begin`.
    package init() {}

    /// Nothing: a byte stream starts with its first IDR picture.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        parameterSets = []
        guard case .h264(let sequenceParameterSet, let pictureParameterSet)? = stream.video?.codec else { return [] }
        parameterSets = NALUnits.startCode + sequenceParameterSet + NALUnits.startCode + pictureParameterSet
        return []
    }

    /// The access unit; empty for sound.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard packet.track == .screen, !parameterSets.isEmpty else { return [] }
        var output: [UInt8] = []
        output.reserveCapacity(packet.data.count + (packet.isKeyframe ? parameterSets.count : 0))
        if packet.isKeyframe { output.append(contentsOf: parameterSets) }
        NALUnits.appendAnnexB(of: packet.data, to: &output)
        return output
    }

    /// Nothing: a byte stream needs no end.
    package mutating func end() -> MuxEnding {
        MuxEnding()
    }
}
