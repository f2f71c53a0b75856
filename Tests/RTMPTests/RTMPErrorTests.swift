import RTMP
import Testing

@Suite struct RTMPErrorTests {
    private static let all: [RTMPError] =
        [
            .tlsUnavailable, .unsupportedFormat("its video is not H.264"), .unreachable(host: "h", port: 1, reason: "nothing listens there"),
            .refused(code: "NetConnection.Connect.Rejected", description: "no"), .refused(code: "", description: ""), .streamBusy(description: ""),
            .protocolViolation("x"), .broken(reason: "x"), .cancelled,
        ]
        + [RTMPStep.connecting, .handshake, .connectReply, .createStreamReply, .publishReply, .sending, .finishing].flatMap {
            [RTMPError.timedOut($0), .closed(during: $0)]
        }

    @Test func `every error is one sentence`() {
        for error in Self.all {
            #expect(error.description.hasSuffix(".") && !error.description.dropLast().contains("\n"), "\(error)")
            #expect(error.description.first?.isUppercase == true)
        }
    }

    @Test func `the sentences say what to do`() {
        #expect(
            RTMPError.unreachable(host: "example.com", port: 1935, reason: "nothing listens there").description
                == "Can't connect to example.com port 1935 (nothing listens there): check the address and the network.")
        #expect(
            RTMPError.refused(code: "NetStream.Publish.Denied", description: "expired").description
                == "The server refused the stream (NetStream.Publish.Denied: expired): check the stream key and the URL.")
        #expect(RTMPError.closed(during: .publishReply).description.contains("stream key"))
    }
}
