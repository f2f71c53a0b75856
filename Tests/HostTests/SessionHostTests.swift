import Capture
import Concurrency
import Control
import Foundation
import Host
import RTMP
import Session
import SessionFakes
import TestSupport
import Testing
import Upload
import UserConfiguration

/// The life of a hosted session: its name, its log, its events, and its end.
struct SessionHostTests {
    /// Collects what the host reports to its front end.
    private final class FrontEnd: Sendable {
        private let state = Shared<(events: [HostEvent], isOver: Bool)>(([], false))
        init(_ host: SessionHost) {
            Task { [state] in
                for await event in host.events { state.update { $0.events.append(event) } }
                state.update { $0.isOver = true }
            }
        }
        var isOver: Bool { state.value.isOver }
        var events: [HostEvent] { state.value.events }
        var states: [SessionState] { events.compactMap { if case .state(let state) = $0 { state } else { nil } } }
        /// Without those about a busy machine, which did not run the capture thread or this program for a second.
        var notices: [HostNotice] {
            events.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }.filter { notice in
                switch notice {
                case .session(.pipeline(.sourceStalled)), .session(.pipeline(.sourceAnswersAgain)),
                    .session(.pipeline(.programStopped)):
                    false
                default: true
                }
            }
        }
    }

    @Test func `A hosted session runs, reports to its front end, and ends with a whole outcome`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            let front = FrontEnd(rig.host)
            #expect(rig.host.session == nil)
            try await rig.host.start()
            try await rig.waitForFrames()
            try await waitUntil("figures") {
                front.events.contains {
                    if case .statistics(let snapshot) = $0 { snapshot.elapsed > .zero } else { false }
                }
            }
            rig.stage.give(.noSharedMemory)
            try await waitUntil("the notice") { front.notices == [.session(.pipeline(.source(.noSharedMemory)))] }
            rig.host.requestStop()
            let outcome = try await rig.host.ended()
            #expect(outcome.failure == nil && outcome.snapshot.state == .finished)
            #expect(outcome.snapshot.destinations.map(\.state) == [.finished])
            try await waitUntil("the end of the events") { front.isOver }
            #expect(front.states == [.live, .finishing, .finished])
            #expect(!FileManager.default.fileExists(atPath: rig.running.socket))
        }
    }

    @Test func `The exposure is reported when the source is open, before any packet is sent`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            let front = FrontEnd(rig.host)
            try await rig.host.start()
            try await waitUntil("a live destination") { front.events.contains { $0.isLiveDestination } }
            let exposed = try #require(front.events.firstIndex { if case .exposed = $0 { true } else { false } })
            let sent = try #require(front.events.firstIndex { $0.isLiveDestination })
            #expect(exposed < sent)
            guard case .exposed(let exposure) = front.events[exposed] else { return }
            #expect(exposure.source?.name == "stage" && exposure.notifications == .notCaptured)
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }

    @Test func `A source that cannot be opened is reported without a word about viewers`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            let front = FrontEnd(rig.host)
            rig.stage.refuse(.noActiveWindow)
            await #expect(throws: HostError.session(.pipeline(.capture(.noActiveWindow)))) {
                try await rig.host.start()
            }
            try await waitUntil("the end of the events") { front.isOver }
            #expect(!front.events.contains { if case .exposed = $0 { true } else { false } })
        }
    }

    @Test func `A closed window is in the log and in the outcome of the session`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            rig.stage.give(.windowClosed("Notes"))
            rig.stage.end()
            let outcome = try await rig.host.ended()
            #expect(!outcome.isAsked && outcome.failure == nil && outcome.snapshot.endReason == .windowClosed("Notes"))
            #expect(rig.log.contains(TestPhrases().sentence(.session(.pipeline(.source(.windowClosed("Notes")))))))
        }
    }

    @Test func `A name is taken once, and is free again after the end`() async throws {
        try await withPeers { peers in
            let taken = Shared(0)
            let first = try HostRig(in: peers, onNameTaken: { taken.update { $0 += 1 } })
            let second = try HostRig(in: peers, folder: first.folder, onNameTaken: { taken.update { $0 += 1 } })
            try await first.host.start()
            #expect(taken.value == 1)
            await #expect(throws: HostError.nameInUse("main")) { try await second.host.start() }
            #expect(taken.value == 1)
            // The first one goes on, with its log.
            #expect(try await first.ask(.status).session?.state == "live")
            try await waitUntil("the line in the log") { first.log.contains("main is live") }
            _ = try await first.ask(.stop)
            _ = try await first.host.ended()
            let third = try HostRig(in: peers, folder: first.folder, onNameTaken: { taken.update { $0 += 1 } })
            try await third.host.start()
            #expect(taken.value == 2)
            third.host.requestStop()
            _ = try await third.host.ended()
        }
    }

    @Test func `An address belongs to one session until its destination is over`() async throws {
        try await withPeers { peers in
            let viewers = ["first", "second", "third"].map(FakeViewer.init)
            let address = DestinationAddress(try RTMPURL("rtmp://live.example/app/key"))
            let plan = { (viewer: FakeViewer) in
                var plan = viewer.livePlan()
                plan.address = address
                return plan
            }
            let plans = viewers.map(plan)
            let first = try HostRig(in: peers, change: { $0.destinations.append(plans[0]) })
            try await first.host.start()
            let names = try FileManager.default.contentsOfDirectory(atPath: first.folder)
            #expect(names.filter { $0.hasSuffix(".address") }.count == 1 && !names.contains { $0.contains("key") })

            let second = try HostRig(
                in: peers, name: "talk", folder: first.folder, change: { $0.destinations.append(plans[1]) })
            let error = HostError.addressInUse(
                destination: "second", by: AddressHolder(process: getpid(), session: "main"))
            await #expect(throws: error) { try await second.host.start() }
            #expect(viewers[1].connections == 0)

            let third = try HostRig(in: peers, name: "class", folder: first.folder)
            try await third.host.start()
            third.define("studio", plans[2])
            #expect(try await third.ask(.addDestination("studio", folder: nil)).error?.code == 409)
            // A second one of the same session is refused by the session.
            first.define("again", plan(FakeViewer("again")))
            #expect(
                try await first.ask(.addDestination("again", folder: nil)).error?.message.contains(
                    "addressInUse(by: \"first\")") == true)

            // The address is free as soon as the answer is there, also for the session that had it.
            _ = try await first.ask(.removeDestination("first", folder: nil))
            #expect(try await first.ask(.addDestination("again", folder: nil)).destination != nil)
            #expect(try await third.ask(.addDestination("studio", folder: nil)).error?.code == 409)
            _ = try await first.ask(.removeDestination("again", folder: nil))
            #expect(try await third.ask(.addDestination("studio", folder: nil)).destination != nil)
            for rig in [first, third] { rig.host.requestStop() }
            for rig in [first, third] { _ = try await rig.host.ended() }
            let left = try FileManager.default.contentsOfDirectory(atPath: first.folder).filter {
                $0.hasSuffix(".address")
            }
            #expect(left.isEmpty)
        }
    }

    @Test func `If the name of a host is in use, the wait for its end returns`() async throws {
        try await withPeers { peers in
            let first = try HostRig(in: peers)
            let second = try HostRig(in: peers, folder: first.folder)
            let front = FrontEnd(second.host)
            try await first.host.start()
            await #expect(throws: HostError.nameInUse("main")) { try await second.host.start() }
            let ended = Once<Bool>()
            Task {
                await #expect(throws: HostError.nameInUse("main")) { try await second.host.ended() }
                ended.set(true)
            }
            #expect(await ended.value(within: .seconds(20)) == true)
            try await waitUntil("the end of the events") { front.isOver }
            first.host.requestStop()
            _ = try await first.host.ended()
        }
    }

    @Test func `A socket that cannot be created is an error with its path`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("file")
            try "".write(toFile: folder + "/f", atomically: false, encoding: .utf8)
            let rig = try HostRig(in: peers, folder: folder + "/f")
            let error = await #expect(throws: HostError.self) { try await rig.host.start() }
            guard case .cannotListen(rig.running.socket, let code)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(code == ENOTDIR)
        }
    }

    @Test func `A host starts once`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            await #expect(throws: HostError.alreadyStarted) { try await rig.host.start() }
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }

    @Test func `A preparation that fails leaves nothing behind, and is the reason of the end`() async throws {
        try await withPeers { peers in
            let error = HostError.destination(name: "viewer", .connectionLost(status: "no key"))
            let rig = try HostRig(in: peers, prepare: { (_) throws(HostError) in throw error })
            let front = FrontEnd(rig.host)
            await #expect(throws: error) { try await rig.host.start() }
            await #expect(throws: error) { try await rig.host.ended() }
            try await waitUntil("the end of the events") { front.isOver }
            #expect(front.events.isEmpty && rig.host.session == nil)
            #expect(
                try await rig.running.ask(.status) == nil && !FileManager.default.fileExists(atPath: rig.running.socket)
            )
        }
    }

    @Test func `If the source cannot be opened, the start fails, and the outcome has the error`() async throws {
        try await withPeers { peers in
            let stage = Stage()
            stage.refuse(.noActiveWindow)
            let rig = try HostRig(in: peers, stage: stage)
            let front = FrontEnd(rig.host)
            await #expect(throws: HostError.session(.pipeline(.capture(.noActiveWindow)))) {
                try await rig.host.start()
            }
            let outcome = try await rig.host.ended()
            #expect(outcome.failure == .pipeline(.capture(.noActiveWindow)) && outcome.snapshot.state == .failed)
            try await waitUntil("the end of the events") { front.isOver }
            #expect(front.states == [.failed])
            #expect(try await rig.running.ask(.status) == nil)
        }
    }

    @Test func `A source that fails later is the failure of the outcome`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            rig.stage.fail(.displayServerGone(":9"))
            let outcome = try await rig.host.ended()
            #expect(
                outcome.failure == .pipeline(.capture(.displayServerGone(":9")))
                    && outcome.snapshot.destinations.map(\.state) == [.finished])
        }
    }

    @Test func `A stop while the session is prepared ends it as soon as it is made`() async throws {
        try await withPeers { peers in
            let gate = Gate()
            let rig = try HostRig(
                in: peers,
                prepare: { (preparation) throws(HostError) in
                    gate.pass()
                    #expect(preparation.isStopWanted())
                })
            let starting = Task { try await rig.host.start() }
            try await waitUntil("the preparation") { gate.isReached }
            rig.host.requestStop()
            gate.open()
            try await starting.value
            let outcome = try await rig.host.ended()
            #expect(outcome.failure == nil && outcome.snapshot.state == .finished)
        }
    }

    @Test func `A front end that never reads its events delays nothing`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            for number in 0..<2000 { rig.host.session?.annotate(["number": "\(number)"]) }
            try await waitUntil("the annotations") { rig.viewer.calls.contains(.annotated(["number": "1999"])) }
            try await rig.waitForFrames()
            #expect(try await rig.ask(.pause).session?.state == "paused")
            rig.host.requestStop()
            _ = try await rig.host.ended()
            // What it reads later are the newest.
            var events: [HostEvent] = []
            for await event in rig.host.events { events.append(event) }
            #expect(events.count <= 256)
            guard case .state(.finished)? = events.last else {
                Issue.record("The last event is \(String(describing: events.last)).")
                return
            }
        }
    }

    @Test func `All followers receive the events until the session has ended`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            let front = FrontEnd(rig.host)
            try await rig.host.start()
            // A follower of now does not receive the start any more.
            try await waitUntil("the start") { front.states == [.live] }
            let received = Shared(0)
            let followers = try await withThrowingTaskGroup(of: [EventReport].self) { group in
                for _ in 0..<3 {
                    let lines = try #require(try await ControlClient.lines(.events, at: rig.running.socket))
                    group.addTask {
                        var events: [EventReport] = []
                        for await line in lines {
                            if events.isEmpty { received.update { $0 += 1 } }
                            if let event = ControlJSON.decode(EventReport.self, from: line) { events.append(event) }
                        }
                        return events
                    }
                }
                // A follower is there when its first event arrives: figures come twice a second.
                try await waitUntil("the followers") { received.value == 3 }
                rig.stage.give(.noSharedMemory)
                rig.host.session?.annotate(["subject": "frames"])
                try await waitUntil("the annotation") { rig.viewer.calls.contains(.annotated(["subject": "frames"])) }
                #expect(await rig.host.perform(.microphone(.off)).error == nil)
                _ = rig.host.session?.pause()
                try await waitUntil("the slate") { rig.viewer.video.last?.reading == .slate }
                rig.host.requestStop()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            _ = try await rig.host.ended()
            #expect(followers.count == 3)
            for events in followers {
                #expect(events.allSatisfy { $0.session == "main" && $0.time.hasSuffix("Z") })
                #expect(events.compactMap(\.state) == ["paused", "finishing", "finished"])
                #expect(
                    events.contains {
                        $0.event == "warning"
                            && $0.message == "sentence of \(HostNotice.session(.pipeline(.source(.noSharedMemory))))"
                    })
                #expect(events.contains { $0.event == "annotation" && $0.annotation == ["subject": "frames"] })
                #expect(events.contains { $0.event == "microphone" && $0.microphone == false })
                #expect(events.contains { $0.event == "destination" && $0.destination?.state == "finished" })
                #expect(events.contains { $0.event == "statistics" && $0.statistics?.session == "main" })
            }
        }
    }

    @Test
    func `The log contains the phrases with their times, only the user can read it, and each session starts a new one`()
        async throws
    {
        try await withPeers { peers in
            let first = try HostRig(in: peers)
            let path = "\(first.folder)/state/main.log"
            try await first.host.start()
            first.stage.give(.noSharedMemory)
            try await waitUntil("the notice") { first.log.contains("noSharedMemory") }
            first.host.requestStop()
            _ = try await first.host.ended()
            // Without those about a busy machine, which did not run the capture thread or this program for a second.
            func sentences(of rig: HostRig) -> [String] {
                rig.log.split(separator: "\n").map(String.init).filter {
                    !$0.contains(/sourceStalled|sourceAnswersAgain|programStopped/)
                }
            }
            let lines = sentences(of: first)
            let words = lines.map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
            #expect(
                words == [
                    "main is live", "sentence of \(HostNotice.session(.pipeline(.source(.noSharedMemory))))",
                    "main is finishing",
                    "main is finished",
                ])
            #expect(lines.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ .*/) != nil })
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)

            let second = try HostRig(in: peers, folder: first.folder)
            try await second.host.start()
            second.host.requestStop()
            _ = try await second.host.ended()
            #expect(sentences(of: second).count == 3)
        }
    }

    @Test func `The application in front reaches destinations and status with the name of its desktop entry`()
        async throws
    {
        try await withPeers { peers in
            let rig = try HostRig(in: peers)
            try await rig.host.start()
            rig.stage.give(ApplicationInformation(id: "Gedit", title: "A text"))
            try await waitUntil("the annotation") {
                rig.viewer.calls.contains(.annotated(["application": "Gedit", "applicationTitle": "A text"]))
            }
            let report = try #require(try await rig.ask(.status).session)
            #expect(report.application == .init(id: "Gedit", title: "A text", name: nil))
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }

    @Test func `A new rule may hide the application in front, so the status does not name it any more`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(in: peers, stage: Stage(hidesWindows: true))
            try await rig.host.start()
            rig.stage.give(ApplicationInformation(id: "Gedit", title: "secret notes"))
            try await waitUntil("the application") { try await rig.ask(.status).session?.application != nil }
            let report = try #require(try await rig.ask(.hide(rule: "title:*secret*")).session)
            #expect(report.application == nil)
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }

    @Test func `The notices of a preparation that fails are all reported, in their order, before the start fails`()
        async throws
    {
        try await withPeers { peers in
            let error = HostError.destination(name: "viewer", .connectionLost(status: "no key"))
            let notices = (1...100).map { ResolverNotice.unencrypted(destination: "viewer", host: "\($0)") }
            let rig = try HostRig(
                in: peers,
                prepare: { (preparation) throws(HostError) in
                    for notice in notices { preparation.notice(notice) }
                    throw error
                })
            let front = FrontEnd(rig.host)
            await #expect(throws: error) { try await rig.host.start() }
            try await waitUntil("the end of the events") { front.isOver }
            #expect(front.notices == notices.map { .resolver($0) })
        }
    }

    @Test func `Notices of the preparation reach the front end and the log`() async throws {
        try await withPeers { peers in
            let rig = try HostRig(
                in: peers, prepare: { (preparation) throws(HostError) in preparation.notice(.keyInAddress) })
            let front = FrontEnd(rig.host)
            try await rig.host.start()
            try await waitUntil("the notice") {
                front.notices == [.resolver(.keyInAddress)] && rig.log.contains("keyInAddress")
            }
            rig.host.requestStop()
            _ = try await rig.host.ended()
        }
    }
}

extension HostEvent {
    fileprivate var isLiveDestination: Bool {
        if case .destination(let destination) = self { destination.state == .live } else { false }
    }
}
