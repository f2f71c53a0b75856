import RTMP
import Testing

@Suite struct RTMPErrorTests {
    private static let all: [RTMPError] =
        [
            .unsupportedFormat("its video is not H.264"), .unreachable(host: "h", port: 1, reason: "nothing listens there"),
            .refused(code: "NetConnection.Connect.Rejected", description: "no"), .refused(code: "", description: ""), .streamBusy(description: ""),
            .protocolViolation("x"), .broken(reason: "x"), .cancelled, .refused(code: RTMPError.authenticationCode, description: "no"),
            .unusableCertificateFile(path: "/ca.pem", reason: "it contains no PEM certificate"),
        ]
        + [TLSProblem.expired, .notYetValid, .unknownIssuer, .wrongHost, .notTLS, .nothingInCommon, .failed("x")].map { .insecure(host: "H", $0) }
        + [RedirectProblem.loop, .tooMany, .insecure, .invalidAddress].map { .badRedirect($0) }
        + [RTMPStep.connecting, .securing, .handshake, .connectReply, .createStreamReply, .publishReply, .sending, .finishing].flatMap {
            [RTMPError.timedOut($0), .closed(during: $0)]
        }

    @Test func `every error is one sentence`() {
        for error in Self.all {
            #expect(error.description.hasSuffix(".") && !error.description.dropLast().contains("\n"), "\(error)")
            #expect(error.description.first?.isUppercase == true)
        }
    }

    @Test func `the sentences tell the user what to do`() {
        #expect(
            RTMPError.unreachable(host: "example.com", port: 1935, reason: "nothing listens there").description
                == "Cannot connect to example.com port 1935 (nothing listens there): check the address and the network.")
        #expect(
            RTMPError.refused(code: "NetStream.Publish.Denied", description: "expired").description
                == "The server refused the stream (NetStream.Publish.Denied: expired): check the stream key and the URL.")
        #expect(RTMPError.closed(during: .publishReply).description.contains("stream key"))
    }

    @Test func `temporary errors and a busy name are retried, permanent errors are not`() {
        for error in [
            RTMPError.unreachable(host: "h", port: 1, reason: "x"), .timedOut(.sending), .closed(during: .sending), .broken(reason: "x"),
            .insecure(host: "h", .expired), .insecure(host: "h", .notTLS), .protocolViolation("x"),
        ] {
            #expect(error.retry == .later)
        }
        #expect(RTMPError.streamBusy(description: "").retry == .busy)
        for error in [RTMPError.refused(code: "", description: ""), .badRedirect(.loop)] { #expect(error.retry == .laterOnceLive) }
        for error in [
            RTMPError.refused(code: RTMPError.authenticationCode, description: ""), .cancelled, .unsupportedFormat("x"),
            .unusableCertificateFile(path: "p", reason: "x"),
        ] {
            #expect(error.retry == .never)
        }
    }
}
