import Media
import Mux
import RTMP

/// What is fed with anything at all: by `Fuzz/` with libFuzzer's inventions, by the tests with the corpus and its mutations.
///
/// Each traps where something is wrong: in the code that it calls, or in what must hold of the result.
public enum FuzzTargets {
    /// AMF 0 values: what was read can be written, and reads the same.
    public static func amf0(_ bytes: [UInt8]) {
        guard let values = try? AMF0Decoder.decode(bytes) else { return }
        let written = AMF0Encoder.encode(values)
        let again = try? AMF0Decoder.decode(written)
        // Not the values: NaN is not itself.
        precondition(again.map { AMF0Encoder.encode($0) } == written, "AMF 0 values changed on the way")
    }

    /// A chunk stream: in one piece and in small ones it gives the same messages.
    public static func chunks(_ bytes: [UInt8]) {
        let whole = messages(bytes, pieceLength: bytes.count)
        let pieces = messages(bytes, pieceLength: 7)
        precondition(whole.messages == pieces.messages && whole.failed == pieces.failed, "where the bytes are cut makes a difference")
    }

    private static func messages(_ bytes: [UInt8], pieceLength: Int) -> (messages: [RTMPMessage], failed: Bool) {
        var reader = ChunkStreamReader()
        var messages: [RTMPMessage] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.append(rest.prefix(pieceLength))
            rest = rest.dropFirst(pieceLength)
            do {
                while let message = try reader.next() {
                    precondition(message.payload.count <= ChunkStreamReader.maximumMessageLength)
                    messages.append(message)
                }
            } catch {
                return (messages, true)
            }
        }
        return (messages, false)
    }

    /// A server's side of the whole conversation, handshake included: it ends once, and no error has the key.
    public static func publisher(_ bytes: [UInt8]) {
        guard let url = try? RTMPURL("rtmp://ann:the_password@host/live/the_secret_key") else { preconditionFailure("the URL is good") }
        var negotiation = ConnectNegotiation(url)
        var machine = PublisherStateMachine(negotiation, stream: stream, random: [])
        var actions = machine.start()
        for piece in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
            actions += machine.receive(piece)
            _ = machine.send(picture)
            if let rejection = actions.lazy.compactMap({ if case .rejected(let rejection) = $0 { rejection } else { nil } }).first {
                try? negotiation.follow(rejection, clientChallenge: "deadbeef")
            }
        }
        _ = machine.update(stream)
        _ = machine.finish()
        actions += machine.receiveEnd()
        var endings = 0
        for action in actions {
            if case .finished = action { endings += 1 }
            guard case .failed(let error) = action else { continue }
            endings += 1
            let words = error.description.lowercased()
            precondition(!words.contains("the_secret_key") && !words.contains("the_password"), "an error tells a secret")
        }
        precondition(endings == 1, "it ended \(endings) times")
    }

    /// An FLV file.
    public static func flv(_ bytes: [UInt8]) {
        var tags = FLVTagReader()
        var packets = FLVPacketReader()
        tags.append(bytes)
        do {
            while let tag = try tags.next() { _ = try packets.packet(from: tag) }
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x79], pictureParameterSet: [0x68, 0xCE, 0x3C, 0x80]),
            size: PixelSize(width: 1280, height: 720), frameRate: 30), audio: [])
    private static let picture = EncodedPacket(
        track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0, data: [0, 0, 0, 1, 0x65])
}
