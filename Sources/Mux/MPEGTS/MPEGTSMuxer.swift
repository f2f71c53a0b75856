import Bitstream
import Media

/// An MPEG transport stream (ISO/IEC 13818-1): H.264 as a byte stream, AAC with ADTS headers, one access unit a PES packet.
///
/// Each packet comes back at once as whole transport packets. The tables come before each keyframe and at least every
/// 500 ms, the program clock at least every 40 ms where packets are that close. Time stamps are 1.4 s ahead of the
/// session's, which leaves room for priming. Raw video is left out.
package struct MPEGTSMuxer: Muxer {
    /// Less than the 500 ms that are promised, because the next packet may be 100 ms off.
    private static let tableInterval = MediaTime(milliseconds: 400)
    /// `access_unit_delimiter_rbsp` with any slice type in the picture (Rec. ITU-T H.264, 7.3.2.4).
    private static let delimiter: [UInt8] = NALUnits.startCode + [NALUnits.Kind.accessUnitDelimiter, 0xF0]

    private var streams: [MPEGTSTables.Stream] = []
    private var clockPID: UInt16 = 0
    private var associationSection: [UInt8] = []
    private var mapSection: [UInt8] = []
    /// With their start codes.
    private var parameterSets: [UInt8] = []
    private var audio: [AudioTrackFormat] = []
    private var packetizer = MPEGTSPacketizer()
    private var clock = MPEGTSClock()
    private var lastTables: MediaTime?

    /// A muxer that waits for `begin`.
    package init() {}

    /// Nothing: the tables come with the first packet.
    package mutating func begin(_ stream: StreamDescription) -> [UInt8] {
        self = MPEGTSMuxer()
        let tables = MPEGTSTables(stream)
        streams = tables.streams
        clockPID = tables.clockPID
        associationSection = tables.associationSection
        mapSection = tables.mapSection
        audio = stream.audio
        if case .h264(let sequence, let picture)? = stream.video?.codec {
            parameterSets = NALUnits.startCode + sequence + NALUnits.startCode + picture
        }
        return []
    }

    /// The packet in whole transport packets, tables and clock before it where they are due. Empty for a track that the
    /// stream does not have, and for times more than 1.4 s before the session's start.
    package mutating func append(_ packet: EncodedPacket) -> [UInt8] {
        guard let stream = streams.first(where: { $0.track == packet.track }),
            let presentationTime = MPEGTSClock.timestamp(packet.presentationTime), let decodeTime = MPEGTSClock.timestamp(packet.decodeTime),
            let payload = payload(of: packet)
        else { return [] }
        let payloadByteCount = payload.reduce(0) { $0 + $1.count }
        let header = PESHeader.bytes(
            streamID: stream.id, presentationTime: presentationTime, decodeTime: decodeTime, payloadByteCount: payloadByteCount)
        var output: [UInt8] = []
        output.reserveCapacity(MPEGTSPacketizer.byteCount(payloadByteCount: header.count + payloadByteCount) + 3 * MPEGTSPacketizer.packetByteCount)
        appendTablesIfDue(packet, to: &output)
        var marks = MPEGTSPacketizer.Marks()
        if stream.pid == clockPID {
            marks.isRandomAccess = packet.isKeyframe
            marks.programClock = clock.value(at: packet.decodeTime)
        } else if let value = clock.valueIfDue(at: packet.decodeTime, packetDuration: packetDuration(packet.track)) {
            packetizer.appendClock(value, pid: clockPID, to: &output)
        }
        packetizer.appendPES([header[...]] + payload, pid: stream.pid, marks: marks, to: &output)
        return output
    }

    /// Nothing: a transport stream may end anywhere between two packets.
    package mutating func end() -> MuxEnding {
        MuxEnding()
    }

    private mutating func appendTablesIfDue(_ packet: EncodedPacket, to output: inout [UInt8]) {
        let startsPicture = packet.track == .screen && packet.isKeyframe
        if let lastTables, !startsPicture, packet.decodeTime - lastTables < Self.tableInterval { return }
        lastTables = packet.decodeTime
        packetizer.appendSection(associationSection, pid: MPEGTSTables.associationPID, to: &output)
        packetizer.appendSection(mapSection, pid: MPEGTSTables.mapPID, to: &output)
    }

    /// The access unit as it stands in the stream, in pieces; nil where it can't be carried.
    private func payload(of packet: EncodedPacket) -> [ArraySlice<UInt8>]? {
        guard packet.track == .screen else {
            guard let format = audio.first(where: { $0.track == packet.track }),
                let header = ADTSHeader(format).bytes(payloadByteCount: packet.data.count)
            else { return nil }
            return [header[...], packet.data[...]]
        }
        var pieces: [ArraySlice<UInt8>] = [Self.delimiter[...]]
        if packet.isKeyframe { pieces.append(parameterSets[...]) }
        // The encoder's own delimiter would stand after the parameter sets, where none may be.
        for unit in NALUnits(lengthPrefixed: packet.data) where NALUnits.kind(of: unit) != NALUnits.Kind.accessUnitDelimiter {
            pieces.append(NALUnits.startCode[...])
            pieces.append(unit)
        }
        return pieces
    }

    private func packetDuration(_ track: Track) -> MediaTime {
        let rate = audio.first { $0.track == track }?.format.sampleRate ?? 0
        return rate > 0 ? MediaTime(value: Int64(AudioTrackFormat.framesPerPacket), timescale: Int64(rate)) : .zero
    }
}
