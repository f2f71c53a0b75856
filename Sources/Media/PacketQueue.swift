import Synchronization

/// What waits for one destination: bounded, so that a slow reader costs that destination pictures, and nobody else anything.
///
/// Encoders push and never wait; one task takes. On overflow video is dropped up to the next keyframe and counted, never
/// audio (DESIGN section 3). Lifecycle calls keep their place between the packets.
public final class PacketQueue: Sendable {
    /// How much may wait.
    public struct Limits: Sendable {
        public var duration: MediaTime
        public var byteCount: Int
        /// True where sound that comes before the first picture is of no use: the stream begins with a keyframe.
        public var startsWithVideo: Bool

        public init(duration: MediaTime, byteCount: Int, startsWithVideo: Bool) {
            self.duration = duration
            self.byteCount = byteCount
            self.startsWithVideo = startsWithVideo
        }

        /// For a viewer who waits: 2 s or 8 MB.
        public static let live = Limits(duration: MediaTime(milliseconds: 2000), byteCount: 8 << 20, startsWithVideo: true)
        /// For a disk that pauses now and then: nothing is lost as long as memory is no danger.
        public static let file = Limits(duration: MediaTime(milliseconds: 30_000), byteCount: 64 << 20, startsWithVideo: false)
    }

    /// What a destination is handed, in order.
    public enum Element: Sendable {
        case packet(EncodedPacket)
        /// From this time on viewers see the slate.
        case paused(at: MediaTime)
        case resumed(at: MediaTime)
        case annotated([String: String])
    }

    private struct State {
        var elements: [Element] = []
        /// Elements before this index have been taken.
        var head = 0
        var byteCount = 0
        var audioBytes = 0
        var isOpen = false
        var isEnded = false
        /// Video is dropped until the next keyframe.
        var awaitsKeyframe = true
        /// A first keyframe has come.
        var hasStarted = false
        /// The track's next packet follows a gap.
        var hasGap = false
        var droppedFrames = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let limits: Limits
    private let state = Mutex(State())

    public init(limits: Limits) {
        self.limits = limits
    }

    /// From now on what is pushed is kept, video from its next keyframe on. Before, everything is let go uncounted.
    public func open() {
        state.withLock { $0.isOpen = true }
    }

    /// Lets go of the packets that wait, and of those that come until it is opened again. Lifecycle calls keep waiting.
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

    /// Adds a packet, or drops it where the reader is too slow. Never waits. True where a keyframe would help the reader.
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
                // A reader that has taken nothing for minutes: even sound cannot be kept for ever.
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

    /// Adds a lifecycle call.
    public func push(_ element: Element) {
        if case .packet(let packet) = element {
            push(packet)
            return
        }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isEnded else { return nil }
            state.elements.append(element)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Nothing more comes: what waits is still taken, then `next` gives nil.
    public func end() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Lets go of everything that waits, and of video up to the next keyframe.
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

    /// Takes the oldest element; waits for one, or for the end, which is nil. Only one task may call it.
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

    /// Video frames that were dropped because the reader was too slow.
    public var droppedFrames: Int { state.withLock { $0.droppedFrames } }

    /// The span of media time that waits.
    public var backlog: MediaTime {
        state.withLock { Self.span($0) }
    }

    private static func takeFirst(_ state: inout State) -> Element? {
        guard state.head < state.elements.count else { return nil }
        let element = state.elements[state.head]
        state.head += 1
        // The taken front is cut off now and then, not each time: that keeps taking cheap.
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
