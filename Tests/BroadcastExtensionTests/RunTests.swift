import BroadcastExtension
import Glibc
import Media
import Testing

/// Extensions in processes of their own: frames on standard input, replies on standard output, and the exit status.
struct RunTests {
    @Test func `The handler is called for each frame in order, and nothing follows the finish`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([
                .start, .event("clock") { $0.clock = 5_000_000_000 }, .event("clock"),
                Frame(header: FrameHeader(length: 2, kind: .configuration), payload: [7, 8]),
                .sample(flags: [.keyframe, .discontinuity], sequence: 3, [1, 2, 3]), .event("pause"), .event("resume"),
                .event("annotate") { $0.information = ["scene": "one"] }, .sample(track: 3, sequence: 9, [4]),
                .event("clip") { event in
                    event.path = "/v/1.mp4"
                    event.start = 1.5
                    event.duration = 10
                }, .event("finish"), .sample([5]),
            ])
            run(Reporter())
        }
        #expect(
            ExtensionProcess.replies(result.standardOutputContent) == [
                Reply(hello: 1), Reply(status: "started A talk, anna, screen 1280x720"),
                Reply(status: "timeline at 5000000000"),
                Reply(status: "configured screen [7, 8]"),
                Reply(status: "screen 3 at 2 ms, decoded at 1 ms, [1, 2, 3], keyframe, after a gap"),
                Reply(status: "paused"),
                Reply(status: "resumed"), Reply(status: "annotated [\"scene\": \"one\"]"),
                Reply(status: "mixed 9 at 2 ms, decoded at 1 ms, [4]"),
                Reply(status: "clip /v/1.mp4 from 1.5 s, 10.0 s"),
                Reply(status: "finished"),
            ])
    }

    @Test func `What the far end says of its viewers is a line of JSON`() {
        #expect(Reply(line: Reply(viewers: 3).line) == Reply(viewers: 3))
        let line = #"{"comment":{"from":"Ada","text":"Hello \"you\""}}"#
        #expect(Reply(line: line.utf8) == Reply(comment: .init(from: "Ada", text: #"Hello "you""#)))
        #expect(String(decoding: Reply(comment: .init(from: "Ada", text: "\n")).line, as: UTF8.self).hasSuffix("}}\n"))
        for wrong in [#"{"viewers":"3"}"#, #"{"viewers":1.5}"#, #"{"comment":"Hello"}"#, #"{"comment":{"text":"x"}}"#] {
            #expect(Reply(line: wrong.utf8) == nil, "\(wrong)")
        }
    }

    @Test func `A bitrate that is not known any more is taken back`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([.start, .event("finish")])
            run(
                Idle { host in
                    for bitrate in [nil, 1500, 1500, nil, nil] {
                        host.waiting(milliseconds: 0, acceptedBitrate: bitrate)
                    }
                })
        }
        #expect(
            ExtensionProcess.replies(result.standardOutputContent).dropFirst()
                == [nil, 1500, 1500, 0, nil].map { Reply(queueMilliseconds: 0, bitrate: $0) }[...])
    }

    @Test func `Frames that this version does not know are ignored`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([
                .start, .event("dance"),
                Frame(header: FrameHeader(length: 1, kind: .init(rawValue: 0x58)), payload: [1]),
                .sample(track: 77, [1]),
                Frame(control: Array("no JSON".utf8)), .event("clip"), .event("finish"),
            ])
            run(Reporter())
        }
        #expect(
            ExtensionProcess.replies(result.standardOutputContent)
                == [Reply(hello: 1), Reply(status: "started A talk, anna, screen 1280x720"), Reply(status: "finished")])
    }

    @Test func `The end of the input finishes a broadcast that has started, and only such a one`() async throws {
        let started = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([.start])
            run(Reporter())
        }
        #expect(ExtensionProcess.replies(started.standardOutputContent).last == Reply(status: "finished"))
        let silent = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([] as [UInt8])
            run(Reporter())
        }
        #expect(ExtensionProcess.replies(silent.standardOutputContent) == [Reply(hello: 1)])
    }

    @Test func `A handler that implements only the start ends without an error`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([
                .start, .event("pause"), .event("resume"), .event("annotate"), .sample([1]),
                Frame(header: FrameHeader(length: 1, kind: .configuration), payload: [1]),
                .event("clip") { $0.path = "/v/1.mp4" }, .event("finish"),
            ])
            run(Idle(), isReady: false)
        }
        // The host waits until the extension says that the service accepts the broadcast.
        #expect(ExtensionProcess.replies(result.standardOutputContent) == [Reply(hello: 1, ready: false)])
    }

    @Test func `What an extension reports is one reply each`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            ExtensionProcess.send([.start, .event("finish")])
            run(
                Idle { host in
                    host.ready(true)
                    host.waiting(milliseconds: 250)
                    host.watchURL("https://example.org/watch")
                    host.requestKeyframe()
                    host.status("line one\nline two")
                })
        }
        #expect(
            ExtensionProcess.replies(result.standardOutputContent) == [
                Reply(hello: 1), Reply(ready: true), Reply(queueMilliseconds: 250),
                Reply(watchURL: "https://example.org/watch"),
                Reply(request: "keyframe"), Reply(status: "line one\nline two"),
            ])
    }

    @Test func `A failure of the handler is reported with its code and its sentence`() async throws {
        let result = try await #require(processExitsWith: .exitCode(1), observing: [\.standardOutputContent]) {
            ExtensionProcess.send([.start, .event("finish")])
            run(Idle { _ throws in throw BroadcastFailure(code: 401, message: "Not Logged In") })
        }
        #expect(
            ExtensionProcess.replies(result.standardOutputContent)
                == [Reply(hello: 1), Reply(error: .init(code: 401, message: "Not Logged In", retry: false))])
    }

    @Test func `Another error of the handler, and bytes that are no frames, are errors of the program`() async throws {
        struct Broken: Error, CustomStringConvertible { var description: String { "It broke" } }
        let broken = try await #require(processExitsWith: .exitCode(1), observing: [\.standardOutputContent]) {
            ExtensionProcess.send([.start, .event("finish")])
            run(Idle { _ throws in throw Broken() })
        }
        #expect(
            ExtensionProcess.replies(broken.standardOutputContent).last
                == Reply(error: .init(code: 500, message: "It broke", retry: false)))
        let garbled = try await #require(processExitsWith: .exitCode(1), observing: [\.standardOutputContent]) {
            ExtensionProcess.send([UInt8](repeating: 0x41, count: 32))
            run(Idle())
        }
        let message = FrameError.wrongMagic([0x41, 0x41, 0x41, 0x41]).description
        #expect(
            ExtensionProcess.replies(garbled.standardOutputContent).last
                == Reply(error: .init(code: 500, message: message, retry: false)))
    }

    @Test func `A host that reads nothing any more does not end the extension with a signal`() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { exit(90) }
            close(ends[0])
            dup2(ends[1], STDOUT_FILENO)
            ExtensionProcess.send([.start, .event("finish")])
            run(Reporter())
        }
    }
}

/// Reports each call as a status.
private final class Reporter: BroadcastSampleHandler {
    private var host: BroadcastHost?

    func started(_ broadcast: BroadcastStart, host: BroadcastHost) {
        self.host = host
        let tracks = broadcast.tracks.map { "\($0.name) \($0.width ?? 0)x\($0.height ?? 0)" }
        host.status(
            "started \(broadcast.title ?? ""), \(broadcast.setup["account"] ?? ""), \(tracks.joined(separator: " "))")
    }

    func timelineBegan(at clock: Int64) { host?.status("timeline at \(clock)") }
    func paused() { host?.status("paused") }
    func resumed() { host?.status("resumed") }
    func annotated(_ information: [String: String]) { host?.status("annotated \(information)") }
    func configured(_ track: Track, data: [UInt8]) { host?.status("configured \(track.name) \(data)") }

    func process(_ sample: BroadcastSample) {
        let packet = sample.packet
        host?.status(
            "\(packet.track.name) \(packet.sequence) at \(packet.presentationTime.milliseconds) ms, decoded at \(packet.decodeTime.milliseconds) ms, "
                + "\(packet.data)" + (packet.isKeyframe ? ", keyframe" : "")
                + (packet.isDiscontinuity ? ", after a gap" : ""))
    }

    func process(_ clip: BroadcastClip) {
        host?.status("clip \(clip.path) from \(clip.start.seconds) s, \(clip.duration.seconds) s")
    }

    func finished() { host?.status("finished") }
}

/// Implements only what the protocol requires.
private final class Idle: BroadcastSampleHandler {
    private let onStart: (BroadcastHost) throws -> Void

    init(onStart: @escaping (BroadcastHost) throws -> Void = { _ in }) {
        self.onStart = onStart
    }

    func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws { try onStart(host) }
    func finished() throws {}
}
