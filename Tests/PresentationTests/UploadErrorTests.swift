import Presentation
import RTMP
import Testing
import Upload
import UserConfiguration

/// The sentences for destinations that fail.
struct UploadErrorTests {
    @Test func `If a configured server rejects the stream, the message names the setup command`() {
        for error in [
            RTMPError.refused(code: "NetStream.Publish.Denied", description: "expired"), .closed(during: .publishReply),
        ] {
            let message = CommandError(.rtmp(error), destination: "studio").message
            #expect(message.hasSuffix("or run: broadcast setup studio"), "\(message)")
            #expect(CommandError(.rtmp(error), destination: "studio").status == .notPermitted)
        }
        let signIn = CommandError(.rtmp(.signInRefused(.wrong)), destination: "studio").message
        #expect(signIn.contains("broadcast setup studio --set user=USER --secret-from-stdin password"))
    }

    @Test func `A user name in an address is answered with the command that stores it`() {
        let message = CommandError(ConfigurationError.destination(.address(.notRTMP(.credentials, source: nil))))
            .message
        #expect(
            message.contains("broadcast setup NAME --set user=USER --secret-from-stdin password")
                && !message.contains("user:password"))
    }

    @Test func `An error of an extension ends with the next step`() {
        func message(_ code: Int) -> String {
            CommandError(
                .extension(name: "hls", .reported(code: code, message: "It failed", canRetry: false)),
                destination: "web"
            ).message
        }
        #expect(
            message(503)
                == "web: The extension hls ended the broadcast: It failed. Check the address and the network, and start again."
        )
        #expect(message(401) == "web: The extension hls ended the broadcast: It failed (401). Run: broadcast setup web")
        #expect(message(409) == "web: The extension hls ended the broadcast: It failed.")
        #expect(message(404) == "web: The extension hls ended the broadcast: It failed (404). See broadcast logs.")
    }

    @Test func `A broadcast that ends before the server answers says so`() {
        #expect(
            CommandError(.rtmp(.cancelled), destination: "rtmp").message
                == "rtmp: The broadcast ended before the server answered. Check the address and the network.")
    }

    @Test func `A destination that was given as an address has nothing to set up`() {
        for name in ["rtmp", "rtmp-2"] {
            let message = CommandError(
                .rtmp(.refused(code: "NetStream.Publish.Denied", description: "expired")), destination: name
            ).message
            #expect(
                message
                    == "\(name): The server refused the stream (NetStream.Publish.Denied: expired). Check the stream key and the URL."
            )
        }
    }
}
