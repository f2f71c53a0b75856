import Concurrency
import Media
import Session
import Synchronization
import Upload

/// A destination of the test: it records the calls of all its handlers, one for each connection, and misbehaves as it
/// is told.
package final class FakeViewer: Sendable {
    /// One call of a handler.
    package enum Call: Sendable, Equatable {
        case started
        case packet(Packet)
        case paused
        case resumed
        case annotated([String: String])
        case finished(deadline: Duration)

        package var packet: Packet? { if case .packet(let packet) = self { packet } else { nil } }
    }

    package struct Packet: Sendable, Equatable {
        package var track: Track
        package var time: MediaTime
        package var isKeyframe: Bool
        package var isDiscontinuity: Bool
        package var sequence: UInt32
        /// What a raw frame shows; nil for encoded packets.
        package var reading: NumberedPicture.Reading?
        /// The highest sample of raw sound; nil for other packets.
        package var peak: Int?
        /// When it was processed, `CLOCK_MONOTONIC` in nanoseconds.
        package var received: Int64
    }

    /// What a handler does at a call.
    package enum Behaviour: Sendable {
        case fail(UploadError)
        /// It suspends until the test calls `letGo`, or its task is cancelled.
        case hang
        /// As `hang`, but it ignores cancellation, like a system call that blocks.
        case hangForever
    }

    /// The calls that can misbehave.
    package enum Moment: Hashable, Sendable { case started, process, finished }

    private struct State {
        var calls: [Call] = []
        var connections = 0
        var streams: [StreamDescription] = []
        var behaviours: [Moment: Behaviour] = [:]
        var scripted: [Moment: [Int: Behaviour]] = [:]
        var remarks = HandlerRemarks()
        var context: HandlerContext?
        var isBusy = false
        var overlaps = 0
        var hanging: Moment?
        var writtenBytes = 0
    }

    package let name: String
    private let state = Mutex(State())
    private let released = Once<Void>()

    package init(_ name: String = "viewer") { self.name = name }

    /// A plan that is served by this.
    package func plan(
        _ delivery: Delivery = .live(retry: nil), kind: DestinationKind = .rtmp,
        media: MediaRequirements = .init(prefersConstantPacing: true)
    ) -> DestinationPlan {
        DestinationPlan(
            name: name, kind: kind, delivery: delivery, media: media,
            makeHandler: { Handler(viewer: self, connection: self.connect()) })
    }

    /// A live plan that gets raw frames, which can be read without a decoder.
    package func livePlan() -> DestinationPlan {
        plan(.live(retry: nil), media: .init(video: .raw, audio: .pcm, prefersConstantPacing: true))
    }

    /// A recording that gets raw frames.
    package func rawRecording() -> DestinationPlan {
        plan(.recording, kind: .file, media: .init(video: .raw, audio: .pcm))
    }

    /// From now on every handler does that.
    package func behave(_ behaviour: Behaviour?, at moment: Moment) {
        state.withLock { $0.behaviours[moment] = behaviour }
    }
    /// The handler of that connection, counted from 0, does that.
    package func behave(_ behaviour: Behaviour, at moment: Moment, connection: Int) {
        state.withLock { $0.scripted[moment, default: [:]][connection] = behaviour }
    }
    /// Handlers that hang go on.
    package func letGo() { released.set(()) }
    /// Its byte count grows although it hangs, like that of a file on a slow disk.
    package func write(_ byteCount: Int) { state.withLock { $0.writtenBytes += byteCount } }
    package func setRemarks(_ change: (inout HandlerRemarks) -> Void) { state.withLock { change(&$0.remarks) } }

    package var calls: [Call] { state.withLock { $0.calls } }
    package var packets: [Packet] { calls.compactMap(\.packet) }
    package var video: [Packet] { packets.filter { $0.track == .screen } }
    /// The calls without packets.
    package var lifecycle: [Call] { calls.filter { $0.packet == nil } }
    package var connections: Int { state.withLock { $0.connections } }
    /// Calls that began while another one was running.
    package var overlaps: Int { state.withLock { $0.overlaps } }
    /// What each connection began with.
    package var streams: [StreamDescription] { state.withLock { $0.streams } }
    package var hanging: Moment? { state.withLock { $0.hanging } }
    package var context: HandlerContext? { state.withLock { $0.context } }

    private func connect() -> Int {
        state.withLock { state in
            defer { state.connections += 1 }
            return state.connections
        }
    }

    private final class Handler: SampleHandler {
        let viewer: FakeViewer
        let connection: Int
        private let bytes = Atomic(0)

        init(viewer: FakeViewer, connection: Int) {
            self.viewer = viewer
            self.connection = connection
        }

        var byteCount: Int { bytes.load(ordering: .relaxed) + viewer.state.withLock { $0.writtenBytes } }
        var remarks: HandlerRemarks { viewer.state.withLock { $0.remarks } }
        func attach(_ context: HandlerContext) { viewer.state.withLock { $0.context = context } }

        func started(_ stream: StreamDescription) async throws(UploadError) {
            viewer.state.withLock { $0.streams.append(stream) }
            try await note(.started, .started)
        }
        func paused() async throws(UploadError) { try await note(.paused) }
        func resumed() async throws(UploadError) { try await note(.resumed) }
        func annotated(_ information: [String: String]) async throws(UploadError) {
            try await note(.annotated(information))
        }
        func finished(deadline: Duration) async throws(UploadError) {
            try await note(.finished(deadline: deadline), .finished)
        }
        func process(_ packet: EncodedPacket) async throws(UploadError) {
            try await note(.packet(Packet(packet)), .process)
            bytes.add(packet.data.count, ordering: .relaxed)
        }

        private func note(_ call: Call, _ moment: Moment? = nil) async throws(UploadError) {
            let behaviour = viewer.state.withLock { state -> Behaviour? in
                if state.isBusy { state.overlaps += 1 }
                state.isBusy = true
                state.calls.append(call)
                guard let moment else { return nil }
                let behaviour = state.scripted[moment]?[connection] ?? state.behaviours[moment]
                if case .fail? = behaviour {} else if behaviour != nil { state.hanging = moment }
                return behaviour
            }
            defer { viewer.state.withLock { $0.isBusy = false } }
            switch behaviour {
            case nil: break
            case .fail(let error): throw error
            case .hangForever: await viewer.released.value
            case .hang:
                let cancelled = Once<Void>()
                let viewer = viewer
                await withTaskCancellationHandler {
                    Task {
                        await viewer.released.value
                        cancelled.set(())
                    }
                    await cancelled.value
                } onCancel: {
                    cancelled.set(())
                }
                if Task.isCancelled { throw .notFinishedInTime }
            }
            viewer.state.withLock { if $0.hanging == moment { $0.hanging = nil } }
        }
    }
}

extension FakeViewer.Packet {
    init(_ packet: EncodedPacket) {
        var reading: NumberedPicture.Reading?
        var peak: Int?
        if packet.track == .screen, packet.data.count == NumberedPicture.size.area * 3 / 2 {
            reading = NumberedPicture.read(luma: packet.data)
        } else if packet.track != .screen, packet.data.count.isMultiple(of: AudioTrackFormat.framesPerPacket * 2) {
            peak = stride(from: 0, to: packet.data.count, by: 2).reduce(0) { peak, index in
                max(peak, abs(Int(Int16(bitPattern: UInt16(packet.data[index]) | UInt16(packet.data[index + 1]) << 8))))
            }
        }
        self.init(
            track: packet.track, time: packet.presentationTime, isKeyframe: packet.isKeyframe,
            isDiscontinuity: packet.isDiscontinuity,
            sequence: packet.sequence, reading: reading, peak: peak,
            received: SessionClock.monotonic())
    }
}
