import BroadcastKit
import Glibc
import Testing

/// What a program reads about errors of its broadcasts.
struct BroadcastErrorTests {
    private static let errors: [(BroadcastError, String)] = [
        (.alreadyStarted, "This controller has run its broadcast. Create another one."),
        (.cannotOpenDisplay(""), "DISPLAY is not set."),
        (.cannotOpenDisplay(":9"), "Cannot open the display :9."),
        (.sharingCancelled, "The user chose nothing to share."),
        (.source("it ended"), "The source failed: it ended"),
        (.encoder("no memory"), "The encoder failed: no memory"),
        (.configuration("line 3"), "The configuration is wrong: line 3"),
        (.unknownDestination("twich"), "There is no destination \"twich\"."),
        (.notSignedIn("twitch"), "Not signed in to twitch."),
        (.invalidAddress(reason: "The URL names no host."), "The URL names no host."),
        (.invalidRule("x"), "\"x\" is not a rule for hidden windows."),
        (
            .cannotWrite(path: "/v/a.mp4", code: ENOSPC),
            "Cannot create /v/a.mp4 or write to it: No space left on device."
        ),
        (
            .server(destination: "studio", code: 503, reason: "The connection is lost."),
            "studio: The connection is lost."
        ),
        (.extension(destination: "web", code: 401, message: "Not Logged In"), "web: Not Logged In (401)"),
        (.extension(destination: "web", code: 503, message: nil), "web: The extension failed (503)"),
        (.notFinished(destination: "studio"), "studio did not finish in time."),
    ]

    @Test(arguments: errors) func `An error describes itself for developers`(error: BroadcastError, description: String)
    {
        #expect(error.description == description)
    }

    @Test func `An address that is not one of RTMP is rejected before the start, without the key`() {
        #expect(throws: BroadcastError.invalidAddress(reason: "The URL must start with rtmp:// or rtmps://.")) {
            try BroadcastDestination.rtmp("http://h/app", key: "s3cret")
        }
        #expect(
            throws: BroadcastError.invalidAddress(
                reason: "There is no stream key: enter the one that your service shows.")
        ) {
            try BroadcastDestination.rtmp("rtmp://h/app", key: "")
        }
        #expect(throws: Never.self) { try BroadcastDestination.rtmp("rtmp://h/app", key: "s3cret") }
    }
}
