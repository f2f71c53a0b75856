import Synchronization

/// The packets that wait for one destination. The queue is bounded, so a slow destination loses frames and does not
/// affect the others.
///
/// Encoders push without waiting; one task takes elements. If the queue is full, it drops and counts video up to the
/// next keyframe, but keeps audio (docs/architecture.md). Lifecycle elements keep their position between the packets.
public final class PacketQueue: Sendable {
    /// The limits of a queue.
    public struct Limits: Sendable {
        public var duration: MediaTime
        public var byteCount: Int
        /// If true, audio before the first video keyframe is dropped, because the stream must begin with a keyframe.
        public var startsWithVideo: Bool

        public init(duration: MediaTime, byteCount: Int, startsWithVideo: Bool) {
            self.duration = duration
            self.byteCount = byteCount
            self.startsWithVideo = startsWithVideo
        }

        /// For live streams, whose viewers wait: 2 s or 8 MiB.
        public static let live = Limits(duration: MediaTime(milliseconds: 2000), byteCount: 8 << 20, startsWithVideo: true)
        /// For files: 30 s or 64 MiB, so that a disk that pauses sometimes loses nothing.
        public static let file = Limits(duration: MediaTime(milliseconds: 30_000), byteCount: 64 << 20, startsWithVideo: false)
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
        var elements: [Element] = []
        /// Elements before this index are already taken.
        var head = 0
        var byteCount = 0
        var audioBytes = 0
        var isOpen = false
        var isEnded = false
        /// True while video is dropped up to the next keyframe.
        var awaitsKeyframe = true
        /// True after the first keyframe was added.
        var hasStarted = false
        /// True if the next video packet follows a gap.
        var hasGap = false
        var droppedFrames = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

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

    /// Discards the waiting packets, and all further packets until `open` is called. Lifecycle elements are kept.
    public func close() {
        state.withLock { state in
            state.isOpen = false
            state.elements = state.elements[state.head...].filter { if case .packet = $0 { false } else { true } }
            state.head = 0
            state.byteCount = 0
            state.audioBytes = 0
            state.awaitsKeyframe = true
            state.hasStarted = false
            state.hasGap = true
        }
    }

    /// Adds a packet, or drops it if the destination is too slow. Never waits. Returns true if the destination needs a
    /// keyframe.
    @discardableResult public func push(_ packet: EncodedPacket) -> Bool {
        let (waiter, wantsKeyframe) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
            guard state.isOpen, !state.isEnded else { return (nil, false) }
            let isVideo = packet.track == .screen
            if isVideo {
                if isFull(state, adding: packet) {
                    if !state.awaitsKeyframe { state.hasGap = true }
                    state.awaitsKeyframe = true
                }
                if state.awaitsKeyframe {
                    guard packet.isKeyframe, !isFull(state, adding: packet) else {
                        if state.hasStarted { state.droppedFrames += 1 }
                        return (nil, !isFull(state, adding: packet))
                    }
                    state.awaitsKeyframe = false
                    state.hasStarted = true
                }
            } else if limits.startsWithVideo && !state.hasStarted {
                return (nil, false)
            } else if state.audioBytes + packet.data.count > limits.byteCount {
                // The destination has taken nothing for minutes, so the memory for audio is limited too.
                return (nil, false)
            }
            var packet = packet
            if isVideo && state.hasGap {
                packet.isDiscontinuity = true
                state.hasGap = false
            }
            state.byteCount += packet.data.count
            if !isVideo { state.audioBytes += packet.data.count }
            state.elements.append(.packet(packet))
            defer { state.waiter = nil }
            return (state.waiter, false)
        }
        waiter?.resume()
        return wantsKeyframe
    }

    /// Adds a lifecycle element. At most one annotation waits: a newer one takes its place at the end of the queue, with
    /// the values of both.
    public func push(_ element: Element) {
        if case .packet(let packet) = element {
            push(packet)
            return
        }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded else { return nil }
            var element = element
            if case .annotated(let new) = element, let (index, old) = Self.waitingAnnotation(state) {
                state.elements.remove(at: index)
                element = .annotated(old.merging(new) { $1 })
            }
            state.elements.append(element)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Ends the queue: `next` returns the waiting elements and then nil.
    public func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Discards all waiting elements, and video up to the next keyframe.
    public func discardAll() {
        state.withLock { state in
            state.elements.removeAll()
            state.head = 0
            state.byteCount = 0
            state.audioBytes = 0
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
                if let element = Self.takeFirst(&state) { return .element(element) }
                return state.isEnded ? .ended : .empty
            }
            switch outcome {
            case .element(let element): return element
            case .ended: return nil
            case .empty:
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state -> Bool in
                        if state.head < state.elements.count || state.isEnded { return true }
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

    /// The duration of the waiting packets, in media time.
    public var backlog: MediaTime {
        state.withLock { Self.span($0) }
    }

    private static func takeFirst(_ state: inout State) -> Element? {
        guard state.head < state.elements.count else { return nil }
        let element = state.elements[state.head]
        state.head += 1
        // Remove the taken elements only sometimes, so that taking an element is cheap on average.
        if state.head > 64 && state.head * 2 > state.elements.count {
            state.elements.removeFirst(state.head)
            state.head = 0
        } else if state.head == state.elements.count {
            state.elements.removeAll(keepingCapacity: true)
            state.head = 0
        }
        if case .packet(let packet) = element {
            state.byteCount -= packet.data.count
            if packet.track != .screen { state.audioBytes -= packet.data.count }
        }
        return element
    }

    private static func waitingAnnotation(_ state: State) -> (index: Int, values: [String: String])? {
        for index in (state.head..<state.elements.count).reversed() {
            if case .annotated(let values) = state.elements[index] { return (index, values) }
        }
        return nil
    }

    private func isFull(_ state: State, adding packet: EncodedPacket) -> Bool {
        if state.byteCount == 0 { return false }
        if state.byteCount + packet.data.count > limits.byteCount { return true }
        guard let oldest = Self.oldest(state) else { return false }
        return packet.decodeTime - oldest > limits.duration
    }

    private static func oldest(_ state: State) -> MediaTime? {
        for index in state.head..<state.elements.count {
            if case .packet(let packet) = state.elements[index] { return packet.decodeTime }
        }
        return nil
    }

    private static func span(_ state: State) -> MediaTime {
        guard let oldest = oldest(state) else { return .zero }
        for index in stride(from: state.elements.count - 1, through: state.head, by: -1) {
            if case .packet(let packet) = state.elements[index] { return max(.zero, packet.decodeTime - oldest) }
        }
        return .zero
    }
}
