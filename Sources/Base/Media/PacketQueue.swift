import Synchronization

/// The packets that wait for one destination. The queue is bounded, so a slow destination loses frames and does not
/// affect the others.
///
/// Encoders push without waiting; one task takes elements. If the queue is full, it drops and counts video, and keeps
/// audio (docs/protocols.md, "Congestion"). Marks of pauses keep their position between the packets. At most one
/// annotation waits: a newer one is merged into it.
public final class PacketQueue: Sendable {
    /// The limits of a queue.
    public struct Limits: Sendable {
        /// Which video a full queue drops.
        public enum Overflow: Sendable {
            /// The packets before the newest keyframe, so that a viewer is not late for longer than necessary.
            case skipsToNewestKeyframe
            /// What arrives, up to the next keyframe for which there is space, so that a recording loses little.
            case dropsArrivals
        }

        /// The maximum time between the oldest and the newest waiting picture.
        public var duration: MediaTime
        /// The maximum size of all waiting packets.
        public var byteCount: Int
        /// If true, audio before the first video keyframe is dropped, because the stream must begin with a keyframe.
        public var startsWithVideo: Bool
        public var overflow: Overflow

        public init(duration: MediaTime, byteCount: Int, startsWithVideo: Bool, overflow: Overflow) {
            self.duration = duration
            self.byteCount = byteCount
            self.startsWithVideo = startsWithVideo
            self.overflow = overflow
        }

        /// For live streams, whose viewers wait: 2 s or 8 MiB.
        public static let live = Limits(
            duration: MediaTime(milliseconds: 2000), byteCount: 8 << 20, startsWithVideo: true,
            overflow: .skipsToNewestKeyframe)
        /// For files: 30 s or 64 MiB, so that a disk that pauses sometimes loses nothing.
        public static let file = Limits(
            duration: MediaTime(milliseconds: 30_000), byteCount: 64 << 20, startsWithVideo: false,
            overflow: .dropsArrivals)
    }

    /// An element for a destination, in order.
    public enum Element: Sendable {
        case packet(EncodedPacket)
        /// From this time on, viewers see the slate.
        case paused(at: MediaTime)
        case resumed(at: MediaTime)
        case annotated([String: String])
    }

    private struct State {
        var waiting = PacketBacklog()
        var isOpen = false
        var isEnded = false
        /// True while video is dropped up to the next keyframe.
        var awaitsKeyframe = true
        /// True after the first keyframe was added.
        var hasStarted = false
        /// True if the next video packet follows a gap.
        var hasGap = false
        var droppedFrames = 0
        /// Elements are given out when packets of this duration wait, or when it has passed since the last ones.
        var batch = MediaTime.zero
        /// The newest decode time of what was given out.
        var lastTime: MediaTime?
        /// True from the moment when a batch is complete until all of it was taken.
        var isBatchComplete = false
        var waiter: CheckedContinuation<Void, Never>?

        /// Marks the batch as complete if `packet`, which was added, completes it. Returns the taker to resume.
        mutating func complete(with packet: EncodedPacket) -> CheckedContinuation<Void, Never>? {
            let isKeyframe = packet.track == .screen && packet.isKeyframe
            let isLong = waiting.duration >= batch || lastTime.map { packet.decodeTime - $0 >= batch } ?? false
            guard isKeyframe || isLong || waiting.byteCount >= PacketQueue.batchByteCount else { return nil }
            return complete()
        }

        /// Marks the batch as complete, so that `removeFirst` returns its elements. Returns the taker to resume.
        mutating func complete() -> CheckedContinuation<Void, Never>? {
            isBatchComplete = true
            defer { waiter = nil }
            return waiter
        }

        mutating func removeFirst() -> Element? {
            guard isBatchComplete || isEnded else { return nil }
            let element = waiting.removeFirst()
            if case .packet(let packet)? = element { lastTime = max(lastTime ?? .zero, packet.decodeTime) }
            if waiting.isEmpty { isBatchComplete = false }
            return element
        }
    }

    /// About ten minutes. Packets of silence have a few bytes, but need memory too; after a stop of the machine, an
    /// hour of them can arrive at once.
    private static let maximumAudioPackets = 30_000
    /// A batch of this size is complete, whatever its duration.
    private static let batchByteCount = 64 << 10

    private let limits: Limits
    private let state = Mutex(State())

    public init(limits: Limits) {
        self.limits = limits
    }

    /// Starts to keep packets; video starts at its next keyframe. Before this call, packets are discarded and not
    /// counted.
    public func open() {
        state.withLock { $0.isOpen = true }
    }

    /// From now on, elements are given out when packets of `duration` wait, 64 KiB, a keyframe, a mark or the end, and
    /// not one by one: the taker is in no hurry, and each time it goes on wakes its thread.
    public func takeInBatches(of duration: MediaTime) {
        state.withLock { $0.batch = duration }
    }

    /// Discards the waiting packets, and all further packets until `open` is called. Lifecycle elements are kept.
    public func close() {
        state.withLock { state in
            state.isOpen = false
            state.waiting.removePackets()
            state.awaitsKeyframe = true
            state.hasStarted = false
            state.hasGap = true
        }
    }

    /// Adds a packet, or drops it if the destination is too slow. Never waits. Returns true if the destination needs a
    /// keyframe and has taken enough of the backlog to use it.
    @discardableResult public func push(_ packet: EncodedPacket) -> Bool {
        let (waiter, wantsKeyframe) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
            guard state.isOpen, !state.isEnded else { return (nil, false) }
            if packet.track == .screen {
                guard admitVideo(packet, &state) else { return (nil, isReadyForKeyframe(state)) }
            } else if limits.startsWithVideo && !state.hasStarted {
                return (nil, false)
            } else if state.waiting.audioByteCount + packet.data.count > limits.byteCount
                || state.waiting.audioPacketCount >= Self.maximumAudioPackets
            {
                // The destination has taken nothing for minutes, so the memory for audio is limited too.
                return (nil, false)
            }
            var packet = packet
            if packet.track == .screen && state.hasGap {
                packet.isDiscontinuity = true
                state.hasGap = false
            }
            state.waiting.append(.packet(packet))
            return (state.complete(with: packet), false)
        }
        waiter?.resume()
        return wantsKeyframe
    }

    /// Adds a mark or an annotation. At most one annotation waits: a newer one takes its place at the end of the queue,
    /// with the values of both.
    public func push(_ element: Element) {
        if case .packet(let packet) = element {
            push(packet)
            return
        }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded else { return nil }
            if case .annotated(let information) = element {
                state.waiting.annotate(information)
            } else {
                state.waiting.append(element)
            }
            return state.complete()
        }
        waiter?.resume()
    }

    /// Ends the queue: `next` returns the waiting elements and then nil.
    public func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isEnded = true
            return state.complete()
        }
        waiter?.resume()
    }

    /// Discards all waiting elements, and video up to the next keyframe.
    public func discardAll() {
        state.withLock { state in
            state.waiting.removeAll()
            state.awaitsKeyframe = true
            state.hasGap = state.hasStarted
        }
    }

    /// Returns the oldest element and waits if there is none. Returns nil after the end. Call it from one task only.
    public func next() async -> Element? {
        while true {
            enum Outcome {
                case element(Element)
                case ended
                case empty
            }
            let outcome = state.withLock { state -> Outcome in
                if let element = state.removeFirst() { return .element(element) }
                return state.isEnded ? .ended : .empty
            }
            switch outcome {
            case .element(let element): return element
            case .ended: return nil
            case .empty:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state -> Bool in
                        if state.isBatchComplete || state.isEnded { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            }
        }
    }

    /// The number of video frames that were dropped because the destination was too slow.
    public var droppedFrames: Int { state.withLock { $0.droppedFrames } }

    /// The duration of the packets that wait for the destination, in media time. A batch that is not complete does not.
    public var backlog: MediaTime {
        state.withLock { $0.isBatchComplete ? $0.waiting.duration : .zero }
    }

    /// Makes space for a picture. Returns false if it must be dropped, which is counted.
    private func admitVideo(_ packet: EncodedPacket, _ state: inout State) -> Bool {
        if isFull(state, adding: packet), limits.overflow == .skipsToNewestKeyframe { skip(to: packet, &state) }
        let isFull = isFull(state, adding: packet)
        if isFull {
            if !state.awaitsKeyframe { state.hasGap = true }
            state.awaitsKeyframe = true
        }
        guard state.awaitsKeyframe else { return true }
        guard packet.isKeyframe, !isFull else {
            if state.hasStarted { state.droppedFrames += 1 }
            return false
        }
        state.awaitsKeyframe = false
        state.hasStarted = true
        return true
    }

    /// Drops the waiting video up to the newest keyframe, which can be `packet` itself.
    private func skip(to packet: EncodedPacket, _ state: inout State) {
        if packet.isKeyframe {
            let dropped = state.waiting.removeVideo()
            state.droppedFrames += dropped
            if dropped > 0 { state.hasGap = true }
        } else if !state.awaitsKeyframe {
            state.droppedFrames += state.waiting.skipToNewestKeyframe()
        }
    }

    private func isFull(_ state: State, adding packet: EncodedPacket) -> Bool {
        if state.waiting.byteCount == 0 { return false }
        if state.waiting.byteCount + packet.data.count > limits.byteCount { return true }
        guard let oldest = state.waiting.oldestVideo else { return false }
        return packet.decodeTime - oldest > limits.duration
    }

    /// True if at most half of the limits waits. A keyframe for a destination that is still behind would cost all
    /// others that share the encoder, and would be late.
    private func isReadyForKeyframe(_ state: State) -> Bool {
        let half = MediaTime(nanoseconds: limits.duration.nanoseconds / 2)
        return state.waiting.byteCount <= limits.byteCount / 2 && state.waiting.duration <= half
    }
}
