import Concurrency
import Control
import Glibc
import Host
import Media
import Session
import SessionFakes
import TestSupport
import Testing
import Upload

/// The requests on the control socket, one by one, and why each of them is refused.
struct HostRequestTests {
    private let phrases = TestPhrases()

    /// Runs a session that is live.
    private func withHost(
        _ change: @escaping @Sendable (inout PreparedSession) -> Void = { _ in }, _ body: (HostRig) async throws -> Void
    ) async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers, change: change)
            try await rig.host.start()
            try await body(rig)
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }

    /// Expects that the request is refused for that reason.
    private func expect(
        _ problem: RequestProblem, of rig: HostRig, _ request: ControlRequest,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        expect(problem, of: try await rig.ask(request), sourceLocation: sourceLocation)
    }

    /// Expects that the line is refused for that reason.
    private func expect(
        _ problem: RequestProblem, of rig: HostRig, line: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        expect(problem, of: try await rig.ask(line: line), sourceLocation: sourceLocation)
    }

    private func expect(_ problem: RequestProblem, of reply: ControlReply, sourceLocation: SourceLocation) {
        #expect(reply.error == phrases.report(.request(problem)), sourceLocation: sourceLocation)
        #expect(reply.session == nil, sourceLocation: sourceLocation)
    }

    @Test func `Status describes the session, its source, and its destinations`() async throws {
        try await withHost { rig in
            try await rig.waitForFrames()
            let report = try #require(try await rig.ask(.status).session)
            #expect(
                report.session == "main" && report.state == "live" && report.title == "A talk" && report.elapsed > 0)
            #expect(report.source.kind == "application" && report.source.name == "stage" && report.source.locked == nil)
            #expect(report.source.width == 128 && report.source.height == 64)
            #expect(report.video?.fps == 30 && (report.video?.captured ?? 0) > 0)
            #expect(report.audio == .init(app: nil, mic: nil))
            let destination = try #require(report.destinations.first)
            #expect(destination.name == "viewer" && destination.extension == "rtmp" && destination.state == "live")
            #expect(
                destination.bytes > 0 && destination.error == nil && destination.watchUrl == "https://example.org/watch"
            )
        }
    }

    @Test func `Pause and resume reply with the new state, and are rejected if they change nothing`() async throws {
        try await withHost { rig in
            try await expect(.notPaused, of: rig, .resume)
            #expect(try await rig.ask(.pause).session?.state == "paused")
            try await expect(.alreadyPaused, of: rig, .pause)
            #expect(try await rig.ask(.resume).session?.state == "live")
        }
    }

    @Test func `A command that does not exist is refused with its name`() async throws {
        try await withHost { rig in
            for command in ["dance", "mic ", "Status", ""] {
                try await expect(.unknownCommand(command), of: rig, line: #"{"command":"\#(command)"}"#)
            }
        }
    }

    @Test func `The microphone is refused without a choice, and without sound`() async throws {
        try await withHost { rig in
            try await expect(.notOnOffOrToggle, of: rig, line: #"{"command":"mic"}"#)
            try await expect(.notOnOffOrToggle, of: rig, line: #"{"command":"mic","value":"loud"}"#)
        }
        // A recording without sound has no track for it.
        try await withHost({ $0.destinations = [FakeViewer("file").rawRecording()] }) { rig in
            try await expect(.noSound, of: rig, .microphone(.on))
        }
    }

    @Test func `Annotations reach destinations, and are refused without a value`() async throws {
        try await withHost { rig in
            try await expect(.nothingToAnnotate, of: rig, line: #"{"command":"annotate"}"#)
            try await expect(.nothingToAnnotate, of: rig, .annotate([:]))
            #expect(try await rig.ask(.annotate(["subject": "frames"])).session?.state == "live")
            try await waitUntil("the annotation") { rig.viewer.calls.contains(.annotated(["subject": "frames"])) }
            // What a request changed is in the log.
            try await waitUntil("the log") { rig.log.contains("annotated([\"subject\": \"frames\"])") }
        }
    }

    @Test func `A clip is saved with its length, and refused without an absolute path or a buffer`() async throws {
        try await withHost { rig in
            try await expect(.clipWithoutPath, of: rig, line: #"{"command":"clip"}"#)
            try await expect(.clipWithoutPath, of: rig, .clip(last: nil, path: "clip.mp4"))
            try await expect(.keepsNoClips, of: rig, .clip(last: nil, path: "\(rig.folder)/clip.mp4"))
        }
        try await withHost({ $0.configuration.media.clipBuffer = MediaTime(milliseconds: 10_000) }) { rig in
            let path = "\(rig.folder)/clip.mp4"
            for name in ["clip.webm", "clip.mkv"] {
                let path = "\(rig.folder)/\(name)"
                try await expect(.clipIsMP4(path: path), of: rig, .clip(last: nil, path: path))
            }
            try await rig.waitForFrames()
            try await rig.waitForFrames()
            // A length that is none counts as the usual one.
            for length in [0.2, -1, 1e9] {
                let reply = try await rig.ask(.clip(last: length, path: path))
                #expect(reply.clip?.path == path && (reply.clip?.duration ?? 0) > 0)
            }
            let missing = "/nowhere/at/all.mp4"
            let reply = try await rig.ask(.clip(last: nil, path: missing))
            #expect(
                reply.error
                    == phrases.report(.destination(name: "clip", .cannotCreate(path: missing, .system(code: 2)))))
        }
    }

    @Test func `A destination is added by its name, and relative paths start at the user's folder`() async throws {
        try await withHost { rig in
            let added = FakeViewer("second")
            rig.define("second", added.livePlan())
            let reply = try await rig.ask(.addDestination("second", folder: "/home/user"))
            #expect(reply.destination?.name == "second" && reply.destination?.state == "live")
            #expect(rig.resolved == ["second in /home/user"])
            try await waitUntil("pictures") { !added.video.isEmpty }
            #expect(try await rig.ask(.status).session?.destinations.map(\.name) == ["viewer", "second"])
        }
    }

    @Test func `A destination that is added and takes fewer frames than the session sends is noticed`() async throws {
        try await withHost { rig in
            var plan = FakeViewer("slow").livePlan()
            plan.limits.frameRate = 5
            rig.define("slow", plan)
            #expect(try await rig.ask(.addDestination("slow", folder: nil)).destination?.name == "slow")
            try await waitUntil("the notice") { rig.log.contains("frameRate(limit: 5, actual: ") }
        }
    }

    @Test func `A destination without a name of its own gets one that is free`() async throws {
        try await withHost { rig in
            for number in 1...3 { rig.define("address \(number)", FakeViewer("viewer").livePlan()) }
            for (number, name) in zip(1..., ["viewer-2", "viewer-3", "viewer-4"]) {
                #expect(try await rig.ask(.addDestination("address \(number)", folder: nil)).destination?.name == name)
            }
            // A configured destination keeps its name.
            rig.define("viewer", FakeViewer("viewer").livePlan())
            let reply = try await rig.ask(.addDestination("viewer", folder: nil))
            #expect(reply.error == phrases.report(.session(.nameInUse("viewer"))))
        }
    }

    @Test
    func `An addition is rejected without a name, for standard output, for an unknown name, and if it cannot connect`()
        async throws
    {
        try await withHost { rig in
            try await expect(.noDestinationNamed, of: rig, line: #"{"command":"add-destination"}"#)
            try await expect(.noDestinationNamed, of: rig, .addDestination("", folder: nil))
            rig.define("-", .stdout(name: "stdout", format: .flv))
            try await expect(.outputLater, of: rig, .addDestination("-", folder: nil))
            let unknown = try await rig.ask(.addDestination("unknown", folder: nil))
            #expect(unknown.error == phrases.report(.destination(name: "unknown", .connectionLost(status: "unknown"))))
            let refusing = FakeViewer("refusing")
            refusing.behave(.fail(.connectionLost(status: "no")), at: .started)
            rig.define("refusing", refusing.livePlan())
            let refused = try await rig.ask(.addDestination("refusing", folder: nil))
            #expect(refused.error == phrases.report(.destination(name: "refusing", .connectionLost(status: "no"))))
            let busy = FakeViewer("busy")
            let error = UploadError.rtmp(.streamBusy(description: ""))
            busy.behave(.fail(error), at: .started)
            rig.define(
                "busy",
                busy.plan(
                    .live(retry: ReconnectionPolicy(waits: Backoff(first: .seconds(3600), longest: .seconds(3600))))))
            try await expect(.notYetConnected(name: "busy", error), of: rig, .addDestination("busy", folder: nil))
            #expect(try await rig.ask(.retry(destination: nil)).retried == ["busy"])
        }
    }

    @Test func `Retry returns the destinations that waited, and none if no destination waits`() async throws {
        try await withHost { rig in
            let all = try await rig.ask(.retry(destination: nil))
            #expect(all.retried?.isEmpty == true)
            let one = try await rig.ask(.retry(destination: "viewer"))
            #expect(one.retried?.isEmpty == true)
        }
    }

    @Test func `A destination is removed by its name, but not the last one, and not one that does not exist`()
        async throws
    {
        try await withHost { rig in
            try await expect(.onlyDestination("viewer"), of: rig, .removeDestination("viewer", folder: nil))
            rig.define("second", FakeViewer("second").livePlan())
            _ = try await rig.ask(.addDestination("second", folder: nil))
            try await expect(
                .unknownDestination("nobody", known: ["viewer", "second"]), of: rig,
                .removeDestination("nobody", folder: nil))
            try await expect(
                .unknownDestination("", known: ["viewer", "second"]), of: rig,
                line: #"{"command":"remove-destination"}"#)
            let reply = try await rig.ask(.removeDestination("viewer", folder: nil))
            #expect(reply.destination?.name == "viewer" && reply.destination?.state == "finished")
            // It has its result, and cannot be removed again.
            try await expect(
                .unknownDestination("viewer", known: ["second"]), of: rig, .removeDestination("viewer", folder: nil))
            #expect(ErrorReport.onlyDestination == RequestProblem.onlyDestination("second").code)
        }
    }

    @Test(arguments: [false, true])
    func `A destination is also removed by the path of its file`(isRelative: Bool) async throws {
        try await withHost { rig in
            let (folder, path) = (rig.folder, rig.folder + "/talk.mp4")
            rig.define("talk.mp4", .file(name: "talk.mp4", path: path, format: .mp4))
            let added = try await rig.ask(.addDestination("talk.mp4", folder: nil))
            #expect(added.destination?.path == path)
            try await expect(
                .unknownDestination("other.mp4", known: ["viewer", "talk.mp4"]), of: rig,
                .removeDestination("other.mp4", folder: nil))
            let removed = try await rig.ask(
                .removeDestination(isRelative ? "./talk.mp4" : path, folder: isRelative ? folder : nil))
            #expect(removed.destination?.name == "talk.mp4" && removed.destination?.state == "finished")
        }
    }

    @Test func `Rules for windows are refused if they are none, and without a screen`() async throws {
        try await withHost { rig in
            for request in [ControlRequest.hide, ControlRequest.unhide] {
                try await expect(.rule(.unknownKind("")), of: rig, request(""))
                try await expect(.rule(.notAProcess("pid:x")), of: rig, request("pid:x"))
                try await expect(.notAScreen, of: rig, request("class:Gedit"))
            }
            for command in ["hide", "unhide"] {
                try await expect(.rule(.unknownKind("")), of: rig, line: #"{"command":"\#(command)"}"#)
            }
        }
    }

    @Test
    func `While the session is prepared, status says so, and other requests are rejected with the advice to retry`()
        async throws
    {
        try await withPeers { peers in
            let gate = Gate()
            let rig = try HostRig(in: peers, prepare: { (_) throws(HostError) in gate.pass() })
            let starting = Task { try await rig.host.start() }
            try await waitUntil("the preparation") { gate.isReached }
            let report = try #require(try await rig.ask(.status).session)
            #expect(
                report.session == "main" && report.state == "starting" && report.title == "A talk"
                    && report.pid == getpid())
            #expect(report.destinations == [] && report.elapsed == 0 && report.video == nil)
            for request in [ControlRequest.pause, .retry(destination: nil)] {
                try await expect(.starting, of: rig, request)
            }
            for line in [#"{"command":"dance"}"#, #"{"command":"mic"}"#] {
                try await expect(.starting, of: rig, line: line)
            }
            gate.open()
            try await starting.value
            #expect(try await rig.ask(.status).session?.state == "live")
            #expect(try await rig.ask(.stop).session?.state == "finished")
            _ = try await rig.host.ended()
        }
    }

    @Test func `Stop answers with the last report once everything is closed`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            try await rig.waitForFrames()
            let report = try #require(try await rig.ask(.stop).session)
            #expect(report.state == "finished" && report.destinations.map(\.state) == ["finished"])
            #expect(rig.viewer.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
            _ = try await rig.host.ended()
            #expect(try await rig.running.ask(.status) == nil)
        }
    }

    @Test func `A session that is stopped during its preparation has finished without destinations`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(
                in: peers,
                prepare: { (preparation) throws(HostError) in
                    while !preparation.isStopWanted() { usleep(1000) }
                    throw .request(.starting)
                })
            let starting = Task { try await rig.host.start() }
            let reply = try await {
                while true {
                    if let reply = try await rig.running.ask(.stop) { return reply }
                    await Task.yield()
                }
            }()
            #expect(reply.error == nil && reply.session?.state == "finished" && reply.session?.destinations == [])
            await #expect(throws: HostError.request(.starting)) { try await starting.value }
            await #expect(throws: HostError.request(.starting)) { try await rig.host.ended() }
        }
    }

    @Test func `A destination that fails is reported with the sentence and the exit status of the front end`()
        async throws
    {
        try await withPeers { peers in
            let (good, bad) = (FakeViewer("good"), FakeViewer("bad"))
            bad.behave(.fail(.connectionLost(status: "no")), at: .started)
            let rig = try HostRig(in: peers, viewer: good, change: { $0.destinations.append(bad.livePlan()) })
            try await rig.host.start()
            let report = try #require(try await rig.ask(.status).session)
            #expect(report.destinations.map(\.state) == ["live", "failed"])
            #expect(
                report.destinations[1].error == phrases.report(.destination(name: "bad", .connectionLost(status: "no")))
            )
            #expect(report.destinations[1].error?.status == 42 && report.destinations[1].watchUrl == nil)
            #expect(try await rig.ask(.stop).session?.state == "failed")
        }
    }
}
