import Glibc
import Media
import Presentation
import Processes
import RTMP
import Testing
import Upload

/// Every error of a destination, as a user reads it about the configured destination "studio".
struct DestinationErrorTests {
    typealias Status = Presentation.ExitStatus

    private static let errors: [(UploadError, Status, String)] = [
        (
            .cannotCreate(path: "/v/a.mp4", .system(code: ENOENT)), .cannotCreate,
            "Cannot create /v/a.mp4: its folder does not exist. Create the folder, or choose another path."
        ),
        (
            .cannotCreate(path: "/v/a.mp4", .system(code: ENOSPC)), .cannotCreate,
            "Cannot create /v/a.mp4: No space left on device. Free some space, or choose another path."
        ),
        (
            .nothingRecorded(path: "/v/a.mp4"), .unavailable,
            "Nothing was recorded, because the broadcast ended before the first picture. The empty file was removed."
        ),
        (
            .cannotCreate(path: "/v/a.mp4", .inUse), .cannotCreate,
            "Cannot create /v/a.mp4: another broadcast is writing it. Choose another name."
        ),
        (
            .cannotCreate(path: "/v/pipe", .notOrdinary), .cannotCreate,
            "Cannot create /v/pipe: it is a named pipe or a device. Choose the name of a file."
        ),
        (
            .cannotCreate(path: "/dev/pts/3", .terminal), .cannotCreate,
            "Cannot write to /dev/pts/3: it is a terminal, which cannot show media. Choose the name of a file."
        ),
        (
            .cannotCreate(path: "/v/a.mp4", .cannotMoveAside(code: EACCES)), .cannotCreate,
            "Cannot create /v/a.mp4: the older file cannot be moved aside (Permission denied). Choose another name."
        ),
        (
            .writeFailed(path: "/v/a.mp4", code: ENOSPC), .ioError,
            "Cannot write to /v/a.mp4: No space left on device. "
                + "The file plays except for its last seconds. Free some space, or choose another path."
        ),
        (
            .writeFailed(path: "-", code: EIO), .ioError,
            "Cannot write to standard output: Input/output error. Check the program that reads it."
        ),
        (
            .pictureTooLarge, .usage,
            "A picture has more than 16 MiB, and FLV holds no such picture. Record to .mp4, or choose a --bitrate or a smaller --size."
        ),
        (.readerClosed, .success, "The program that read the stream has ended."),
        (
            .pipeWithoutReader(path: "/v/pipe"), .unavailable,
            "No program read from the named pipe /v/pipe. Start its reader first, and then the broadcast."
        ),
        (
            .readerStalled(path: "/v/pipe"), .unavailable,
            "The reader of /v/pipe stopped reading, so the end of the stream is lost. Use a reader that reads until the end."
        ),
        (
            .readerStalled(path: "-"), .unavailable,
            "The reader of standard output stopped reading, so the end of the stream is lost. Use a reader that reads until the end."
        ),
        (
            .notFinishedInTime, .unavailable,
            "It did not finish in time and was abandoned. Check that its far end still reads."
        ),
        (.connectionLost(status: nil), .unavailable, "The connection is lost."),
        (
            .neverLive(status: "asking the server"), .unavailable,
            "The broadcast was over before it was live: asking the server."
        ),
        (
            .connectionLost(status: "the server refused it"), .unavailable,
            "The connection is lost: the server refused it."
        ),
        (
            .connectionLost(status: "The server refused it."), .unavailable,
            "The connection is lost: The server refused it."
        ),
    ]

    private static let rtmpErrors: [(RTMPError, Status, String)] = [
        (
            .refused(code: "NetConnection.Connect.Rejected", description: ""), .notPermitted,
            "The server refused the stream (NetConnection.Connect.Rejected). "
                + "Check the stream key and the URL, or run: broadcast setup studio"
        ),
        (
            .refused(code: "", description: ""), .notPermitted,
            "The server refused the stream. Check the stream key and the URL, or run: broadcast setup studio"
        ),
        (
            .signInRefused(.missing), .notPermitted,
            "The server requires a user name and a password. "
                + "Run: broadcast setup studio --set user=USER --secret-from-stdin password"
        ),
        (
            .closed(during: .connectReply), .unavailable,
            "The server closed the connection before it was told the stream key. "
                + "Check the URL, whose path names the application, or run: broadcast setup studio"
        ),
        (
            .closed(during: .publishReply), .notPermitted,
            "The server closed the connection instead of accepting the stream. "
                + "Check the stream key and the URL, or run: broadcast setup studio"
        ),
        (.closed(during: .sending), .unavailable, "The server closed the connection while sending."),
        (
            .timedOut(.connecting), .unavailable,
            "The connection to the server timed out: check the address and the network."
        ),
        (
            .timedOut(.handshake), .unavailable,
            "The server did not answer in time while performing the RTMP handshake: try again, or check the address."
        ),
        (
            .unreachable(host: "h", port: 1935, .system(code: ECONNREFUSED)), .unavailable,
            "Cannot connect to h port 1935 (nothing listens there): check the address and the network. To wait for a server that starts later, use --wait-for-network."
        ),
        (
            .proxyFailed(host: "p", port: 1080, .wrongCredentials), .unavailable,
            "The proxy p port 1080 did not connect to the server (it rejected the user name or the password): "
                + "check the proxy and the address."
        ),
        (
            .streamBusy(description: ""), .unavailable,
            "Another program is publishing with this stream key already: stop the other broadcast, or wait a minute."
        ),
        (.broken(.failed("it broke")), .unavailable, "The connection to the server was lost: it broke."),
        (
            .cancelled, .unavailable,
            "The broadcast ended before the server answered. Check the address and the network."
        ),
        (
            .badRedirect(.loop), .notPermitted,
            "The servers redirect the stream in a circle: ask the service for another address."
        ),
        (
            .protocolViolation(.noStreamID), .protocolError,
            "The server violated the RTMP protocol (its answer to createStream has no stream ID): "
                + "check that the address is that of an RTMP server."
        ),
        (.unsupportedFormat(.noTracks), .usage, "RTMP cannot carry this stream: it has no tracks."),
        (
            .unsupportedFormat(.pictureTooLarge), .usage,
            "RTMP cannot carry this stream: one of its pictures has more than 16 MiB."
        ),
        (
            .unusableCertificateFile(path: "/ca.pem", .noCertificate), .usage,
            "The certificate authorities in /ca.pem cannot be used (it contains no PEM certificate): "
                + "name a readable file of PEM certificates."
        ),
    ]

    private static let extensionErrors: [(ExtensionProblem, Status, String)] = [
        (
            .cannotStart(program: "/e/run", code: ENOENT), .config,
            "The extension web cannot start: /e/run: No such file or directory. Check that it is executable, and its first line."
        ),
        (.cannotWrite(code: EPIPE), .unavailable, "Cannot write to the extension web: Broken pipe. Start again."),
        (
            .noHello(within: .seconds(5)), .protocolError,
            "The extension web did not write {\"hello\":1} within 5 s and was ended. "
                + "It must write one JSON object per line; see man 7 broadcast-extension."
        ),
        (
            .notReady(within: .seconds(30)), .unavailable,
            "The extension web was not ready within 30 s and was ended. See broadcast logs."
        ),
        (
            .stalled(for: .seconds(10)), .unavailable,
            "The extension web read nothing for 10 s and was ended. See broadcast logs."
        ),
        (
            .didNotExit(within: .seconds(5)), .unavailable,
            "The extension web did not exit within 5 s after the finish and was ended. See broadcast logs."
        ),
        (
            .endedEarly(.exited(2), folder: "/e"), .unavailable,
            "The extension web ended before the broadcast did (exit status 2). See broadcast logs, or run: broadcast check-extension /e"
        ),
        (
            .endedWithError(.killed(signal: SIGSEGV), folder: "/e"), .unavailable,
            "The extension web ended with an error (signal 11, Segmentation fault). "
                + "See broadcast logs, or run: broadcast check-extension /e"
        ),
        (
            .closedInput, .unavailable,
            "The extension web closed its standard input before the broadcast ended. See broadcast logs."
        ),
        (.cancelled, .unavailable, "The extension web did not finish in time. See broadcast logs."),
        (
            .lineTooLong(limit: 65_536), .protocolError,
            "The extension web wrote a line of more than 64 KiB and was ended. "
                + "It must write one JSON object per line; see man 7 broadcast-extension."
        ),
        (
            .flood, .protocolError,
            "The extension web floods its standard output and was ended. "
                + "It must write one JSON object per line; see man 7 broadcast-extension."
        ),
        (
            .notAReply, .protocolError,
            "The extension web wrote something to standard output that is not a reply and was ended. "
                + "It must write one JSON object per line; see man 7 broadcast-extension."
        ),
        (
            .unsupportedVersion(2), .protocolError,
            "The extension web uses version 2 of the protocol, and this program version 1. Use a matching version of it."
        ),
        (
            .tooManySoundTracks(3), .usage,
            "The extension web asks for 3 sound tracks, and FLV holds one. Use container = \"mpegts\"."
        ),
        (
            .pictureTooLarge(PixelSize(width: 8192, height: 8192), limit: 64 << 20), .usage,
            "The extension web takes raw pictures of up to 64 MiB, and one of 8192x8192 has more. Use a smaller --size."
        ),
        (
            .wrongSetting(message: "url: it is empty.", .address), .usage,
            "The extension web rejects a setting: url: it is empty. Correct the address."
        ),
        (
            .wrongSetting(message: "url: it is empty", .configuration), .config,
            "The extension web rejects a setting: url: it is empty. Correct the config, or run: broadcast setup studio"
        ),
        // A message is a sentence, so most extensions end it with a period.
        (
            .reported(code: 401, message: "Not Logged In.", canRetry: false), .notPermitted,
            "The extension web ended the broadcast: Not Logged In (401). Run: broadcast setup studio"
        ),
        (
            .reported(code: 403, message: "Not your account", canRetry: false), .notPermitted,
            "The extension web ended the broadcast: Not your account (403). Run: broadcast setup studio"
        ),
        (
            .reported(code: 503, message: "It is down.", canRetry: true), .unavailable,
            "The extension web ended the broadcast: It is down. Check the address and the network, and start again."
        ),
        (
            .reported(code: 500, message: "It failed.", canRetry: false), .unavailable,
            "The extension web ended the broadcast: It failed (500). See broadcast logs."
        ),
    ]

    private static let all: [(UploadError, Status, String)] =
        errors + rtmpErrors.map { (.rtmp($0.0), $0.1, $0.2) }
        + extensionErrors.map { (.extension(name: "web", $0.0), $0.1, $0.2) }

    @Test(arguments: all) func `An error of a destination has a status and says what to do`(
        error: UploadError, status: Status, sentence: String
    ) {
        #expect(CommandError(error, destination: "studio") == CommandError(status, "studio: " + sentence))
        let report = ErrorPresenter().report(error, of: "studio", isRetried: false)
        #expect(report.message == sentence && report.status == status.rawValue && report.code == error.code)
        #expect(SentenceRules.violation(of: sentence) == nil)
    }

    @Test func `A test of an extension does not say that it was ended`() {
        let sentence = ExtensionProblem.noHello(within: .seconds(5)).sentence(
            extension: "web", destination: "web", isEnded: false)
        #expect(
            sentence
                == "The extension web did not write {\"hello\":1} within 5 s. It must write one JSON object per line; see man 7 broadcast-extension."
        )
    }

    @Test func `An address has no destination to set up, so a password needs a configured one`() {
        #expect(
            CommandError(.rtmp(.signInRefused(.wrong)), destination: "rtmp-2").message
                == "rtmp-2: The server rejected the user name or the password. "
                + "Configure a destination, and run: broadcast setup NAME --set user=USER --secret-from-stdin password")
    }
}
