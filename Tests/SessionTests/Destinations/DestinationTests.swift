import Concurrency
import Glibc
import Media
import RTMP
import Session
import SessionFakes
import Synchronization
import TestSupport
import Testing
import Upload

/// The life cycle of a destination: connect, serve, lose the connection, try again, end. The waits between tries are
/// those of a manual clock.
@Suite struct DestinationTests {
    fileprivate static let lost = UploadError.connectionLost(status: nil)
    private static let busy = UploadError.rtmp(.streamBusy(description: ""))
    fileprivate static let refused = UploadError.rtmp(.refused(code: "NetStream.Publish.Denied", description: ""))
    /// Waits of 2, 4, 8 and then 10 s.
    fileprivate static let policy = ReconnectionPolicy(
        waits: Backoff(first: .seconds(2), factor: 2, longest: .seconds(10)), maximumAttempts: 5)

    /// A destination with its viewer, its clock, and the states that it reported.
    fileprivate final class Rig: Sendable {
        let viewer = FakeViewer()
        let clock = ManualClock()
        let destination: Destination
        private let events: Sink<DestinationEvent>
        private let keyframes = Sink<Bool>()

        /// Collects what comes on any thread.
        private final class Sink<Element: Sendable>: Sendable {
            private let elements = Mutex<[Element]>([])
            var all: [Element] { elements.withLock { $0 } }
            func add(_ element: Element) { elements.withLock { $0.append(element) } }
        }

        init(
            _ delivery: Delivery = .live(retry: DestinationTests.policy), kind: DestinationKind = .rtmp,
            waitsForNetwork: Bool = false
        ) {
            let events = Sink<DestinationEvent>()
            self.events = events
            var plan = viewer.plan(delivery, kind: kind)
            plan.waitsForNetwork = waitsForNetwork
            destination = Destination(plan: plan, clock: clock) { events.add($0) }
        }

        var states: [DestinationState] {
            events.all.compactMap { if case .changed(let destination) = $0 { destination.state } else { nil } }
        }
        var comments: [ViewerComment] {
            events.all.compactMap { if case .comment(let comment) = $0 { comment } else { nil } }
        }

        var notices: [UploadNotice] {
            events.all.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        }
        var requestedKeyframes: Int { keyframes.all.count }

        func start() {
            destination.start(StreamDescription(video: nil, audio: [], title: "A talk")) { [keyframes] in
                keyframes.add(true)
            }
        }

        /// Starts it, and waits until its connection hangs.
        func startHanging() async throws {
            viewer.behave(.hang, at: .started)
            start()
            try await waitUntil("a handler that hangs") { viewer.hanging == .started }
        }

        /// Gives it keyframes until the condition holds.
        func push(until what: String, _ condition: () -> Bool) async throws {
            var sequence = 0
            try await waitUntil(what) {
                destination.queue.push(videoPacket(sequence, isKeyframe: true))
                sequence += 1
                return condition()
            }
        }

        /// Starts it, gives it these elements when it is live, and waits for its end.
        func play(_ elements: [PacketQueue.Element]) async throws {
            start()
            try await waitForState(.live)
            for element in elements { destination.queue.push(element) }
            destination.end(.over)
            await destination.waitUntilOver()
        }

        func waitForState(_ state: DestinationState) async throws {
            try await waitUntil("the state \(state)") { destination.state == state }
        }

        /// Lets the wait for the next try pass.
        func passWait(_ seconds: Int) async throws {
            try await waitUntil("a wait") { clock.sleeperCount == 1 }
            clock.advance(by: .seconds(seconds))
        }
    }

    // MARK: The first connection

    @Test func `A first connection that fails is final`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .started)
        rig.start()
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .failed && rig.destination.snapshot().error == Self.lost)
        #expect(rig.viewer.calls == [.started, .finished(deadline: .zero)])
        #expect(rig.clock.waits.isEmpty && rig.states == [.failed])
    }

    @Test func `A stream name that is busy is tried again, also at the first connection`() async throws {
        let rig = Rig()
        for connection in 0..<2 { rig.viewer.behave(.fail(Self.busy), at: .started, connection: connection) }
        rig.start()
        try await rig.passWait(2)
        try await rig.passWait(4)
        try await rig.waitForState(.live)
        #expect(rig.viewer.connections == 3 && rig.clock.waits == [.seconds(2), .seconds(4)])
        // A report follows the state.
        try await waitUntil("the reports") { rig.states == [.reconnecting, .reconnecting, .live] }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished)
    }

    @Test func `The result has what the far end reported at its end, and not what it did while live`() async throws {
        for final in ["2 segments are lost", nil] {
            let rig = Rig()
            rig.viewer.setRemarks { ($0.status, $0.finalStatus) = ("uploading", final) }
            rig.start()
            try await rig.waitForState(.live)
            #expect(rig.destination.snapshot().statusText == "uploading")
            rig.destination.end(.asked)
            await rig.destination.waitUntilOver()
            #expect(rig.destination.snapshot().statusText == final)
        }
    }

    @Test func `Without a policy for retries a lost connection is final`() async throws {
        let rig = Rig(.live(retry: nil))
        rig.viewer.behave(.fail(Self.lost), at: .process)
        rig.start()
        try await rig.push(until: "the end") { rig.destination.state == .failed }
        #expect(rig.viewer.connections == 1 && rig.clock.waits.isEmpty)
    }

    @Test func `A recording that fails is not begun again`() async throws {
        let rig = Rig(.recording, kind: .file)
        rig.viewer.behave(.fail(.writeFailed(path: "/f", code: 28)), at: .process)
        rig.start()
        try await rig.push(until: "the end") { rig.destination.state == .failed }
        #expect(rig.viewer.connections == 1 && rig.viewer.lifecycle == [.started, .finished(deadline: .zero)])
    }

    // MARK: A connection that is lost

    @Test func `A connection that was lost is made again after the waits of its policy, and counted`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.viewer.behave(.fail(Self.lost), at: .started, connection: 1)
        rig.viewer.behave(.fail(Self.lost), at: .started, connection: 2)
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        let waiting = rig.destination.snapshot()
        #expect(waiting.error == Self.lost && waiting.nextRetry != nil)
        for wait in [2, 4, 8] { try await rig.passWait(wait) }
        try await rig.waitForState(.live)
        let live = rig.destination.snapshot()
        #expect(live.reconnects == 1 && live.error == nil && live.nextRetry == nil)
        #expect(rig.clock.waits == [.seconds(2), .seconds(4), .seconds(8)])
        #expect(rig.viewer.connections == 4 && rig.viewer.overlaps == 0)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test func `It gives up after the last try, with the error of that try`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        for connection in 1...5 {
            rig.viewer.behave(.fail(.connectionLost(status: "try \(connection)")), at: .started, connection: connection)
        }
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        for wait in [2, 4, 8, 10, 10] { try await rig.passWait(wait) }
        await rig.destination.waitUntilOver()
        #expect(
            rig.destination.state == .failed && rig.destination.snapshot().error == .connectionLost(status: "try 5"))
        #expect(rig.viewer.connections == 6 && rig.clock.waits == [2, 4, 8, 10, 10].map { .seconds($0) })
    }

    @Test func `A try before its time ends the wait`() async throws {
        let rig = Rig()
        #expect(!rig.destination.retryNow())
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await waitUntil("the wait") { rig.clock.sleeperCount == 1 }
        #expect(rig.destination.retryNow())
        try await rig.waitForState(.live)
        #expect(!rig.destination.retryNow())
        // Its alarm does not stay behind.
        try await waitUntil("the end of the alarm") { rig.clock.sleeperCount == 0 }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test func `The next connection begins with a keyframe, the pause that is on, and the annotations that were made`()
        async throws
    {
        let rig = Rig()
        rig.start()
        try await rig.waitForState(.live)
        #expect(rig.requestedKeyframes == 1)
        rig.destination.queue.push(.annotated(["subject": "frames"]))
        rig.destination.queue.push(.paused(at: .zero))
        try await rig.waitForState(.paused)
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await rig.passWait(2)
        try await rig.waitForState(.paused)
        #expect(rig.requestedKeyframes == 2 && rig.viewer.streams.map(\.title) == ["A talk", "A talk"])
        #expect(rig.viewer.streams.map(\.annotations) == [[:], ["subject": "frames"]])
        #expect(
            rig.viewer.lifecycle == [
                .started, .annotated(["subject": "frames"]), .paused, .finished(deadline: .zero), .started, .paused,
            ])
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test func `Packets that waited for a lost connection are not sent to the next one`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.start()
        try await rig.waitForState(.live)
        for sequence in 0..<10 { rig.destination.queue.push(videoPacket(sequence, isKeyframe: sequence == 0)) }
        try await rig.waitForState(.reconnecting)
        rig.destination.queue.push(videoPacket(15, isKeyframe: true))
        try await rig.passWait(2)
        try await rig.waitForState(.live)
        for sequence in 20..<23 { rig.destination.queue.push(videoPacket(sequence, isKeyframe: sequence == 21)) }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.viewer.video.map(\.sequence) == [0, 21, 22])
        #expect(rig.viewer.video.map(\.isDiscontinuity) == [false, true, false])
    }

    @Test func `Bytes are counted over all connections`() async throws {
        let rig = Rig()
        rig.viewer.behave(nil, at: .process)
        rig.start()
        try await rig.waitForState(.live)
        rig.destination.queue.push(videoPacket(0, isKeyframe: true, bytes: 1000))
        try await waitUntil("its bytes") { rig.destination.byteCount == 1000 }
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.destination.queue.push(videoPacket(1, isKeyframe: true, bytes: 500))
        try await rig.waitForState(.reconnecting)
        #expect(rig.destination.byteCount == 1000)
        try await rig.passWait(2)
        try await rig.waitForState(.live)
        rig.destination.queue.push(videoPacket(2, isKeyframe: true, bytes: 250))
        try await waitUntil("the bytes of both") { rig.destination.byteCount == 1250 }
        #expect(rig.destination.snapshot().byteCount == 1250)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.byteCount == 1250)
    }

    // MARK: A far end that is not ready

    @Test func `A destination is reconnecting while its far end accepts no data`() async throws {
        let rig = Rig()
        rig.viewer.setRemarks { $0.isReady = false }
        rig.start()
        try await waitUntil("its start") { rig.viewer.calls == [.started] }
        rig.destination.queue.push(.annotated(["first": "1"]))
        try await waitUntil("the annotation") { rig.viewer.calls.count == 2 }
        #expect(rig.destination.state == .connecting)
        rig.viewer.setRemarks { $0.isReady = true }
        try await rig.push(until: "live") { rig.destination.state == .live }
        rig.viewer.setRemarks {
            $0.isReady = false
            $0.status = "no network"
        }
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        #expect(rig.destination.snapshot().error == .connectionLost(status: "no network"))
        rig.viewer.setRemarks { $0.isReady = true }
        try await rig.push(until: "live again") { rig.destination.state == .live }
        #expect(rig.destination.snapshot().reconnects == 1 && rig.viewer.connections == 1)
        try await waitUntil("the reports") { rig.states == [.live, .reconnecting, .live] }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test(arguments: [(Destination.End.over, false), (.over, true), (.asked, false)])
    func `A far end that had accepted nothing when the content was over has failed`(
        end: Destination.End, isReadyInTheEnd: Bool
    ) async throws {
        let rig = Rig()
        rig.viewer.setRemarks {
            $0.isReady = false
            $0.status = "asking the server"
        }
        rig.start()
        try await waitUntil("its start") { rig.viewer.calls == [.started] }
        // An extension that publishes whole files has one only then.
        if isReadyInTheEnd { rig.viewer.setRemarks { $0.isReady = true } }
        rig.destination.end(end)
        await rig.destination.waitUntilOver()
        let result = rig.destination.snapshot()
        if end == .over, !isReadyInTheEnd {
            #expect(rig.destination.state == .failed && result.error == .neverLive(status: "asking the server"))
        } else {
            #expect(rig.destination.state == .finished && result.error == nil)
        }
    }

    @Test(arguments: [Destination.End.over, .asked])
    func `A recording without a picture has failed, unless the user stopped it`(end: Destination.End) async throws {
        let rig = Rig(.recording, kind: .file)
        let error = UploadError.nothingRecorded(path: "/v/a.mp4")
        rig.viewer.behave(.fail(error), at: .finished)
        rig.start()
        try await waitUntil("its start") { rig.destination.state == .live }
        rig.destination.end(end)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == (end == .over ? .failed : .finished))
        #expect(rig.destination.snapshot().error == (end == .over ? error : nil))
    }

    @Test func `Reports of the far end are part of the snapshot and of the backlog`() async throws {
        let rig = Rig()
        rig.viewer.setRemarks {
            $0.watchURL = "https://example.org/w"
            $0.status = "well"
            $0.backlog = MediaTime(milliseconds: 700)
            $0.viewers = 3
        }
        rig.start()
        try await rig.waitForState(.live)
        let snapshot = rig.destination.snapshot()
        #expect(snapshot.watchURL == "https://example.org/w" && snapshot.statusText == "well")
        #expect(
            snapshot.backlog == MediaTime(milliseconds: 700) && rig.destination.backlog == MediaTime(milliseconds: 700))
        #expect(snapshot.viewers == 3)
        rig.viewer.context?.report(.waitsForReader(path: "/pipe"))
        #expect(rig.notices == [.waitsForReader(path: "/pipe")])
        rig.viewer.context?.comment(ViewerComment(name: "Ada", text: "Hello"))
        #expect(rig.comments == [ViewerComment(name: "Ada", text: "Hello")])
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.snapshot().viewers == nil)
    }

    // MARK: The end

    @Test func `Waiting packets are sent before the end`() async throws {
        let rig = Rig()
        rig.start()
        try await rig.waitForState(.live)
        for sequence in 0..<20 { rig.destination.queue.push(videoPacket(sequence, isKeyframe: sequence == 0)) }
        rig.destination.end(.over)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished && rig.viewer.video.map(\.sequence) == Array(0..<20))
        #expect(rig.viewer.calls.last == .finished(deadline: ShutdownTimetable.streamEnd))
    }

    @Test func `A live destination that is abandoned with a backlog is finished and not failed`() async throws {
        let rig = Rig()
        rig.start()
        try await rig.waitForState(.live)
        rig.viewer.behave(.hang, at: .process)
        for sequence in 0..<20 { rig.destination.queue.push(videoPacket(sequence, isKeyframe: sequence == 0)) }
        try await waitUntil("a server that accepts nothing") { rig.viewer.hanging == .process }
        rig.destination.end(.asked)
        rig.destination.queue.discardAll()
        rig.destination.abandon()
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished && rig.destination.snapshot().error == nil)
    }

    @Test func `An extension gets more time to write out`() async throws {
        let rig = Rig(kind: .program("hls"))
        rig.start()
        try await rig.waitForState(.live)
        rig.destination.end(.over)
        await rig.destination.waitUntilOver()
        #expect(rig.viewer.calls.last == .finished(deadline: ShutdownTimetable.extensionFinish))
    }

    @Test func `A destination that the user stopped before it connected is finished`() async throws {
        let rig = Rig()
        try await rig.startHanging()
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished && rig.destination.snapshot().error == nil)
    }

    @Test func `The duration is the media of all connections, and nil before the first one`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        #expect(rig.destination.snapshot().duration == nil)
        rig.start()
        try await rig.waitForState(.live)
        #expect(rig.destination.snapshot().duration == .zero)
        rig.destination.queue.push(videoPacket(0, isKeyframe: true))
        try await rig.waitForState(.reconnecting)
        try await rig.passWait(2)
        try await rig.waitForState(.live)
        // The time between the connections is no media.
        for number in 100...103 { rig.destination.queue.push(videoPacket(number, isKeyframe: true)) }
        rig.destination.end(.over)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.snapshot().duration == MediaTime(value: 3, timescale: 30))
    }

    @Test func `A destination that had not connected when the content was over has failed`() async throws {
        let rig = Rig()
        try await rig.startHanging()
        rig.destination.end(.over)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .failed && rig.destination.snapshot().error == .notFinishedInTime)
    }

    @Test func `A destination that waits for its next try at the end has failed, without another try`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await waitUntil("the wait") { rig.clock.sleeperCount == 1 }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .failed && rig.viewer.connections == 1)
    }

    @Test func `A reader that closes its pipe ends the destination properly`() async throws {
        let rig = Rig(.recording, kind: .stdout)
        rig.viewer.behave(.fail(.readerClosed), at: .process)
        rig.start()
        try await rig.push(until: "the end") { rig.destination.state.isOver }
        #expect(rig.destination.state == .finished && rig.destination.snapshot().error == nil)
        #expect(rig.viewer.lifecycle == [.started, .finished(deadline: .zero)])
    }

    @Test func `A destination that cannot write its remaining data at the end has failed`() async throws {
        let rig = Rig(.recording, kind: .file)
        rig.viewer.behave(.fail(.writeFailed(path: "/f", code: 28)), at: .finished)
        rig.start()
        try await rig.waitForState(.live)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(
            rig.destination.state == .failed && rig.destination.snapshot().error == .writeFailed(path: "/f", code: 28))
    }

    @Test func `A destination that is over stays as it is`() async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.refused), at: .started)
        rig.start()
        await rig.destination.waitUntilOver()
        rig.destination.fail(.notFinishedInTime)
        rig.destination.change(to: .live)
        #expect(
            rig.destination.state == .failed && rig.destination.snapshot().error == Self.refused
                && rig.states == [.failed])
    }

    // MARK: When others go on

    @Test func `decided is set when the destination is live or over, and answered also while it waits for another try`()
        async throws
    {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.busy), at: .started, connection: 0)
        rig.start()
        await rig.destination.answered.value
        #expect(rig.destination.state == .reconnecting && rig.destination.decided.current == nil)
        try await rig.passWait(2)
        await rig.destination.decided.value
        #expect(rig.destination.state == .live)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()

        let failing = Rig()
        failing.viewer.behave(.fail(Self.lost), at: .started)
        failing.start()
        await failing.destination.decided.value
        await failing.destination.answered.value
        #expect(failing.destination.state == .failed)
    }

    @Test func `answered is not set while the destination connects`() async throws {
        let rig = Rig()
        try await rig.startHanging()
        #expect(rig.destination.answered.current == nil && rig.destination.isWaitingToStart)
        rig.viewer.letGo()
        await rig.destination.answered.value
        #expect(rig.destination.state == .live && !rig.destination.isWaitingToStart)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test func `A recording omits everything from the pause to the first keyframe after it`() async throws {
        let rig = Rig(.recording, kind: .file)
        try await rig.play([
            .packet(videoPacket(0, isKeyframe: true)), .paused(at: MediaTime(value: 1, timescale: 30)),
            .packet(videoPacket(1, isKeyframe: true)),
            .packet(videoPacket(2)), .resumed(at: MediaTime(value: 3, timescale: 30)),
            .packet(videoPacket(3, isKeyframe: true)),
            .packet(videoPacket(4)),
        ])
        #expect(rig.viewer.video.map(\.sequence) == [0, 3, 4])
        // The places of the packets in the recording have no gap.
        #expect(rig.viewer.video.map { $0.time.value(timescale: 30) } == [0, 1, 2])
        // Of 5 frames two are left out: the third one in the file is at 2/30 s.
        #expect(rig.destination.snapshot().duration?.value(timescale: 30) == 2)
        #expect(
            rig.viewer.lifecycle == [.started, .paused, .resumed, .finished(deadline: ShutdownTimetable.handlerFinish)])
    }

    @Test func `A recording keeps the sound after a pause although it arrives before its pictures, as with lookahead`()
        async throws
    {
        let rig = Rig(.recording, kind: .file)
        func sound(_ tick: Int64) -> PacketQueue.Element {
            .packet(soundPacket(at: MediaTime(value: tick, timescale: 30), sequence: Int(tick)))
        }
        // The pause lasts from tick 3 to tick 6. Sound arrives four ticks before its picture.
        var elements: [PacketQueue.Element] = (0..<4).map { sound($0) }
        for tick in 0..<10 {
            elements.append(sound(Int64(tick) + 4))
            if tick == 3 { elements.append(.paused(at: MediaTime(value: 3, timescale: 30))) }
            if tick == 6 { elements.append(.resumed(at: MediaTime(value: 6, timescale: 30))) }
            elements.append(.packet(videoPacket(tick, isKeyframe: tick % 3 == 0)))
        }
        try await rig.play(elements)
        let kept = rig.viewer.packets.filter { $0.track == .mixed }
        #expect(kept.map(\.sequence) == [0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13])
        #expect(kept.map { $0.time.value(timescale: 30) } == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test func `A viewer gets the slate of a pause`() async throws {
        let rig = Rig()
        try await rig.play([
            .packet(videoPacket(0, isKeyframe: true)), .paused(at: MediaTime(value: 1, timescale: 30)),
            .packet(videoPacket(1, isKeyframe: true)),
            .resumed(at: MediaTime(value: 2, timescale: 30)), .packet(videoPacket(2, isKeyframe: true)),
        ])
        #expect(rig.destination.snapshot().duration == MediaTime(value: 2, timescale: 30))
        #expect(
            rig.viewer.video.map(\.sequence) == [0, 1, 2]
                && rig.viewer.video.map { $0.time.value(timescale: 30) } == [0, 1, 2])
    }
}

/// Which failures are tried again.
extension DestinationTests {
    @Test(arguments: [
        UploadError.rtmp(.refused(code: "NetStream.Publish.Denied", description: "")), .rtmp(.badRedirect(.loop)),
        .rtmp(.protocolViolation(.handshakeVersion(72))), .rtmp(.insecure(host: "h", .unknownIssuer)),
        .extension(name: "x", .noHello(within: .seconds(5))),
        .extension(name: "x", .reported(code: 503, message: "", canRetry: false)),
        .extension(name: "x", .reported(code: 403, message: "", canRetry: false)),
    ])
    func `A refusal is retried only after the stream was live`(refusal: UploadError) async throws {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.viewer.behave(.fail(refusal), at: .started, connection: 1)
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await rig.passWait(2)
        try await rig.passWait(4)
        try await rig.waitForState(.live)
        #expect(rig.viewer.connections == 3 && rig.destination.snapshot().reconnects == 1)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()

        let first = Rig()
        first.viewer.behave(.fail(refusal), at: .started)
        first.start()
        await first.destination.waitUntilOver()
        #expect(first.destination.state == .failed && first.viewer.connections == 1)
    }

    @Test(arguments: [
        UploadError.rtmp(.signInRefused(.wrong)),
        .rtmp(.unusableCertificateFile(path: "/c", .system(code: ENOENT))),
        .extension(name: "x", .reported(code: 401, message: "", canRetry: false)),
    ])
    func `A changed password and an impossible setting are final, also after the stream was live`(error: UploadError)
        async throws
    {
        let rig = Rig()
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.viewer.behave(.fail(error), at: .started, connection: 1)
        rig.start()
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await rig.passWait(2)
        await rig.destination.waitUntilOver()
        #expect(
            rig.destination.state == .failed && rig.destination.snapshot().error == error && rig.viewer.connections == 2
        )
    }

    @Test
    func
        `A server that closes every connection after some seconds is tried again for ever, less often, and the user is told once`()
        async throws
    {
        let rig = Rig(.live(retry: ReconnectionPolicy(waits: DestinationTests.policy.waits, maximumAttempts: 3)))
        rig.viewer.setRemarks { $0.isConfirmed = true }
        rig.viewer.behave(.fail(Self.lost), at: .process)
        rig.start()
        for wait in [2, 4, 8, 10, 10, 10] {
            try await rig.waitForState(.live)
            rig.clock.advance(by: .seconds(4))
            try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
            try await rig.passWait(wait)
        }
        try await rig.waitForState(.live)
        #expect(rig.clock.waits == [2, 4, 8, 10, 10, 10].map { .seconds($0) })
        #expect(rig.notices == [.unstable(connections: 3)] && rig.destination.snapshot().reconnects == 6)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test func `A new process of an extension learns that an earlier one was live`() async throws {
        let rig = Rig(kind: .program("hls"))
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 0)
        rig.start()
        try await rig.waitForState(.live)
        #expect(rig.viewer.context?.wasLive == false)
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await rig.passWait(2)
        try await rig.waitForState(.live)
        #expect(rig.viewer.context?.wasLive == true)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test
    func `A far end that is ready and not ready in turn changes the state a few times at once, and then once a second`()
        async throws
    {
        let rig = Rig()
        rig.start()
        try await rig.waitForState(.live)
        for number in 0..<40 {
            rig.viewer.setRemarks { $0.isReady = number % 2 == 1 }
            let calls = rig.viewer.calls.count
            rig.destination.queue.push(.annotated(["number": "\(number)"]))
            try await waitUntil("the annotation") { rig.viewer.calls.count > calls }
        }
        #expect(rig.states.count <= 6, "\(rig.states)")
        // The last state is reported as soon as a change is allowed.
        rig.clock.advance(by: .seconds(10))
        rig.viewer.setRemarks { $0.isReady = false }
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        rig.clock.advance(by: .seconds(10))
        rig.viewer.setRemarks { $0.isReady = true }
        try await rig.push(until: "live again") { rig.destination.state == .live }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
    }

    @Test
    func
        `A first connection that waits for the network is tried until it succeeds, and these tries do not count later`()
        async throws
    {
        let rig = Rig(waitsForNetwork: true)
        let unreachable = UploadError.rtmp(.unreachable(host: "h", port: 1935, .system(code: ENETUNREACH)))
        // More tries than the policy has for a lost connection.
        for connection in 0..<7 { rig.viewer.behave(.fail(unreachable), at: .started, connection: connection) }
        rig.viewer.behave(.fail(Self.lost), at: .process, connection: 7)
        rig.start()
        for wait in [2, 4, 8, 10, 10, 10, 10] { try await rig.passWait(wait) }
        try await rig.waitForState(.live)
        #expect(rig.destination.snapshot().reconnects == 0)
        try await rig.push(until: "the loss") { rig.destination.state == .reconnecting }
        try await rig.passWait(2)
        try await rig.waitForState(.live)
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished)
    }

    @Test
    func `An extension that gave up on a server that does not answer is started again while it waits for the network`()
        async throws
    {
        for (code, attempts) in [(503, 3), (401, 1), (400, 1)] {
            let rig = Rig(waitsForNetwork: true)
            let failure = UploadError.extension(name: "hls", .reported(code: code, message: "no", canRetry: false))
            for connection in 0..<2 { rig.viewer.behave(.fail(failure), at: .started, connection: connection) }
            rig.start()
            if attempts > 1 {
                for wait in [2, 4] { try await rig.passWait(wait) }
                try await rig.waitForState(.live)
                rig.destination.end(.asked)
            }
            await rig.destination.waitUntilOver()
            #expect(
                rig.destination.state == (attempts > 1 ? .finished : .failed) && rig.viewer.connections == attempts,
                "\(code)")
        }
    }

    @Test
    func `A key that remains in use is not tried without limit although the first connection waits for the network`()
        async throws
    {
        let rig = Rig(waitsForNetwork: true)
        rig.viewer.behave(.fail(.rtmp(.refused(code: "NetStream.Publish.BadName", description: ""))), at: .started)
        rig.start()
        while rig.destination.state != .failed && rig.viewer.connections < 50 {
            try await waitUntil("a wait or the end") { rig.clock.sleeperCount == 1 || rig.destination.state == .failed }
            rig.clock.advance(by: .seconds(60))
        }
        #expect(rig.destination.state == .failed && rig.viewer.connections < 50)
    }

    @Test func `A refusal is final although the first connection waits for the network`() async throws {
        let rig = Rig(waitsForNetwork: true)
        rig.viewer.behave(.fail(Self.refused), at: .started)
        rig.start()
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .failed && rig.viewer.connections == 1)
    }

    @Test func `A destination that the user stopped while it waited for the network is finished`() async throws {
        let rig = Rig(waitsForNetwork: true)
        rig.viewer.behave(.fail(Self.lost), at: .started)
        rig.start()
        try await waitUntil("the wait") { rig.clock.sleeperCount == 1 }
        rig.destination.end(.asked)
        await rig.destination.waitUntilOver()
        #expect(rig.destination.state == .finished && rig.destination.snapshot().error == nil)
    }
}
