import Mux
import RTMP

/// The messages of an RTMP server, as bytes.
struct ServerScript {
    private var writer = ChunkStreamWriter()

    /// S0, S1 and S2.
    static let handshake: [UInt8] = [3] + [UInt8](repeating: 0x11, count: 1536) + [UInt8](repeating: 0x22, count: 1536)

    mutating func message(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        writer.write(RTMPMessage(kind: kind, payload: payload), on: .command, to: &bytes)
        return bytes
    }

    /// Returns a control message with a payload of four bytes.
    mutating func control(_ kind: UInt8, _ value: UInt32) -> [UInt8] {
        message(kind, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    mutating func command(_ name: String, _ transactionID: Double, _ arguments: AMF0Value...) -> [UInt8] {
        message(
            RTMPMessage.Kind.commandAMF0.rawValue,
            AMF0Encoder.encode([.string(name), .number(transactionID)] + arguments))
    }

    mutating func status(
        _ name: String = "onStatus", _ transactionID: Double = 0, level: String, code: String, description: String = ""
    ) -> [UInt8] {
        command(name, transactionID, .null, Self.information(level: level, code: code, description: description))
    }

    mutating func connectResult() -> [UInt8] {
        status("_result", 1, level: "status", code: "NetConnection.Connect.Success")
    }

    /// The answer to `createStream`, which is the publisher's fourth command.
    mutating func createStreamResult(_ streamID: Double = 1) -> [UInt8] {
        command("_result", 4, .null, .number(streamID))
    }

    mutating func publishStart() -> [UInt8] {
        status(level: "status", code: "NetStream.Publish.Start")
    }

    static func information(level: String, code: String, description: String) -> AMF0Value {
        .object([
            AMF0Property("level", .string(level)), AMF0Property("code", .string(code)),
            AMF0Property("description", .string(description)),
        ])
    }
}
