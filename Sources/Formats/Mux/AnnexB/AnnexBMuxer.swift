import Bitstream
import Media

/// The video track as an H.264 byte stream: a start code before each NAL unit, the parameter sets before each IDR
/// picture (Rec. ITU-T H.264, annex B). A byte stream contains no timestamps and no sound.
package struct AnnexBMuxer: Muxer {
    /// The sequence and the picture parameter set with their start codes; empty if the stream has no H.264 track.
    private var parameterSets: [UInt8] = []

    /// A muxer before `begin`. It drops packets until then.
    package init() {}

    /// Takes the parameter sets. Returns no bytes: a byte stream starts with its first IDR picture.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        parameterSets = []
        guard case .h264(let sequenceParameterSet, let pictureParameterSet)? = stream.video?.codec else { return [] }
        parameterSets = NALUnits.startCode + sequenceParameterSet + NALUnits.startCode + pictureParameterSet
        return []
    }

    /// Returns the access unit, or no bytes for sound.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard packet.track == .screen, !parameterSets.isEmpty else { return [] }
        var output: [UInt8] = []
        output.reserveCapacity(packet.data.count + (packet.isKeyframe ? parameterSets.count : 0))
        if packet.isKeyframe { output.append(contentsOf: parameterSets) }
        NALUnits.appendAnnexB(of: packet.data, to: &output)
        return output
    }

    /// Returns no bytes: a byte stream has no end mark.
    package mutating func end() -> MuxEnding {
        MuxEnding()
    }
}
