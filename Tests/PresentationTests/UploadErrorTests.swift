import Presentation
import RTMP
import Testing
import Upload

/// The sentences for destinations that fail.
struct UploadErrorTests {
    @Test func `If a configured server rejects the stream, the message names the setup command`() {
        for error in [RTMPError.refused(code: "NetStream.Publish.Denied", description: "expired"), .closed(during: .publishReply)] {
            let message = CommandError(.rtmp(error), destination: "studio").message
            #expect(message.hasSuffix("or run: broadcast setup studio"), "\(message)")
            #expect(CommandError(.rtmp(error), destination: "studio").status == .notPermitted)
        }
        let signIn = CommandError(.rtmp(.signInRefused(.wrong)), destination: "studio").message
        #expect(signIn.contains("broadcast setup studio --set user=USER --secret-from-stdin password"))
    }

    @Test func `A destination that was given as an address has nothing to set up`() {
        for name in ["rtmp", "rtmp-2"] {
            let message = CommandError(.rtmp(.refused(code: "NetStream.Publish.Denied", description: "expired")), destination: name).message
            #expect(
                message == "\(name): The server refused the stream (NetStream.Publish.Denied: expired). Check the stream key and the URL.")
        }
    }
}
