import Glibc
import NetworkSupport
import RTMP
import TLS
import Testing

@Suite struct RTMPErrorTests {
    private static let all: [RTMPError] =
        [
            .refused(code: "NetConnection.Connect.Rejected", description: "no"), .refused(code: "", description: ""),
            .streamBusy(description: ""),
            .signInRefused(.missing), .signInRefused(.wrong), .cancelled,
        ]
        + [FormatProblem.videoIsNotH264, .noTracks, .pictureTooLarge].map { .unsupportedFormat($0) }
        + [
            NetworkProblem.noAddress(.any), .noAddress(.six), .system(code: ECONNREFUSED), .eventLoopEnded,
            .failed("x"),
        ].flatMap {
            [RTMPError.unreachable(host: "h", port: 1, $0), .broken($0)]
        }
        + [
            ProxyProblem.doesNotAnswer, .closedConnection, .notSOCKS5, .notHTTP, .credentialsMissing,
            .credentialsNotSupported, .wrongCredentials,
            .credentialsTooLong, .invalidHostName, .refused(reply: 2), .refusedConnect, .failed("x"),
        ].map { .proxyFailed(host: "h", port: 1, $0) }
        + ["/ca.pem", ""].flatMap { path in
            [CertificateFileProblem.system(code: ENOENT), .noCertificate, .rejected].map {
                .unusableCertificateFile(path: path, $0)
            }
        }
        + [
            ProtocolViolation.handshakeVersion(72), .chunkStream(.tooManyChunkStreams), .command(.truncated),
            .noStreamID, .answersNotRead,
            .tooManyBytes,
        ].map { .protocolViolation($0) }
        + [TLSProblem.expired, .notYetValid, .unknownIssuer, .wrongHost, .notTLS, .nothingInCommon, .failed("x")].map {
            .insecure(host: "H", $0)
        }
        + [RedirectProblem.loop, .tooMany, .insecure, .invalidAddress].map { .badRedirect($0) }
        + [
            RTMPStep.connecting, .securing, .handshake, .connectReply, .createStreamReply, .publishReply, .sending,
            .finishing,
        ].flatMap {
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
            RTMPError.unreachable(host: "example.com", port: 1935, .system(code: ECONNREFUSED)).description
                == "Cannot connect to example.com port 1935 (nothing listens there): check the address and the network."
        )
        #expect(
            RTMPError.refused(code: "NetStream.Publish.Denied", description: "expired").description
                == "The server refused the stream (NetStream.Publish.Denied: expired): check the stream key and the URL."
        )
        #expect(RTMPError.closed(during: .publishReply).description.contains("stream key"))
    }

    @Test func `temporary errors and a busy name are retried, permanent errors are not`() {
        for error in [
            RTMPError.unreachable(host: "h", port: 1, .eventLoopEnded), .timedOut(.sending), .closed(during: .sending),
            .broken(.eventLoopEnded),
            .insecure(host: "h", .expired), .insecure(host: "h", .notTLS), .protocolViolation(.noStreamID),
        ] {
            #expect(error.retry == .later)
        }
        #expect(RTMPError.streamBusy(description: "").retry == .busy)
        for error in [RTMPError.refused(code: "", description: ""), .badRedirect(.loop)] {
            #expect(error.retry == .laterOnceLive)
        }
        for error in [
            RTMPError.signInRefused(.wrong), .cancelled, .unsupportedFormat(.noTracks),
            .unusableCertificateFile(path: "p", .noCertificate),
        ] {
            #expect(error.retry == .never)
        }
    }
}
