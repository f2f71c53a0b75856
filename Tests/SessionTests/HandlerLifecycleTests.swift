import Media
import Session
import Synchronization
import TestSupport
import Testing
import Upload
import X11Capture

/// Records the calls that it receives, and whether two calls overlapped.
final class RecordingHandler: SampleHandler {
    private struct State {
        var calls: [String] = []
        var isBusy = false
        var overlaps = 0
    }
    private let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }
    var overlaps: Int { state.withLock { $0.overlaps } }
    var byteCount: Int { 0 }

    /// A call that takes a while, so that an overlapping call would be detected.
    private func note(_ call: String) async {
        state.withLock { state in
            if state.isBusy { state.overlaps += 1 }
            state.isBusy = true
            // Consecutive samples are one entry.
            if state.calls.last != call { state.calls.append(call) }
        }
        try? await Task.sleep(for: .milliseconds(2))
        state.withLock { $0.isBusy = false }
    }

    func started(_ stream: StreamDescription) async throws(UploadError) { await note("started \(stream.title ?? "")") }
    func process(_ packet: EncodedPacket) async throws(UploadError) { await note("process") }
    func paused() async throws(UploadError) { await note("paused") }
    func resumed() async throws(UploadError) { await note("resumed") }
    func annotated(_ information: [String: String]) async throws(UploadError) {
        await note("annotated \(information["subject"] ?? "")")
    }
    func finished(deadline: Duration) async throws(UploadError) { await note("finished") }
}

/// The calls of a whole broadcast, in ReplayKit's order.
struct HandlerLifecycleTests {
    @Test func `A handler gets its calls in order and one at a time`() async throws {
        try await withPeers { peers in
            let screen = try await Xvfb.start(in: peers, width: 320, height: 240)
            var configuration = SessionConfiguration()
            configuration.media.picture = .screen(ScreenRequest(display: screen.display))
            configuration.media.audio.app = nil
            configuration.media.title = "A talk"
            let handler = RecordingHandler()
            let session = BroadcastSession(
                configuration: configuration,
                destinations: [
                    DestinationPlan(
                        name: "recorder", kind: .program("recorder"), delivery: .live(retry: nil),
                        media: .init(prefersConstantPacing: true),
                        makeHandler: { handler })
                ]
            )
            try await session.start()
            try await waitUntil("samples") { handler.calls.last == "process" && session.snapshot().state == .live }
            _ = session.pause()
            try await waitUntil("the pause") { handler.calls.contains("paused") }
            _ = session.resume()
            try await waitUntil("the end of the pause") {
                handler.calls.contains("resumed") && handler.calls.last == "process"
            }
            session.annotate(["subject": "frames"])
            try await waitUntil("the annotation") {
                handler.calls.contains("annotated frames") && handler.calls.last == "process"
            }
            #expect(await session.stop().failure == nil)
            let lifecycle = handler.calls.filter { $0 != "process" && $0 != "annotated " }
            #expect(lifecycle == ["started A talk", "paused", "resumed", "annotated frames", "finished"])
            #expect(handler.calls.last == "finished" && handler.overlaps == 0)
        }
    }
}
