/// The elements that wait in a `PacketQueue`, oldest first, and their size. A value without a lock.
struct PacketBacklog: Sendable {
    /// Taken elements are nil, so that a slow destination retains no packet that it already has.
    private var elements: [PacketQueue.Element?] = []
    /// The index of the oldest element.
    private var head = 0
    /// The bytes of the waiting packets.
    private(set) var byteCount = 0
    /// The bytes of the waiting packets that are not video.
    private(set) var audioByteCount = 0
    /// The number of waiting packets that are not video.
    private(set) var audioPacketCount = 0

    var isEmpty: Bool { head == elements.count }

    /// Adds a packet or a mark at the end.
    mutating func append(_ element: PacketQueue.Element) {
        count(element, 1)
        elements.append(element)
    }

    /// Adds an annotation at the end. If one waits already, it is removed, and its values are merged into the new one,
    /// so at most one waits.
    mutating func annotate(_ information: [String: String]) {
        var merged = information
        for index in indices {
            guard case .annotated(let waiting) = elements[index] else { continue }
            merged = waiting.merging(information) { _, new in new }
            elements.remove(at: index)
            break
        }
        elements.append(.annotated(merged))
    }

    /// Removes and returns the oldest element; nil if the backlog is empty.
    mutating func removeFirst() -> PacketQueue.Element? {
        guard !isEmpty, let element = elements[head] else { return nil }
        elements[head] = nil
        head += 1
        // Shorten the array only sometimes, so that taking an element is cheap on average.
        if isEmpty {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 64 && head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        count(element, -1)
        return element
    }

    /// Removes all packets. Marks and annotations remain.
    mutating func removePackets() {
        removePackets { _, _ in true }
    }

    /// Removes all elements.
    mutating func removeAll() {
        self = PacketBacklog()
    }

    /// Removes all waiting video.
    ///
    /// - Returns: the number of removed pictures.
    mutating func removeVideo() -> Int {
        removePackets { _, packet in packet.track == .screen }
    }

    /// Removes the video before the newest keyframe and marks that keyframe as a discontinuity. Does nothing if no
    /// keyframe waits.
    ///
    /// - Returns: the number of removed pictures; 0 also if the newest keyframe is the oldest picture.
    mutating func skipToNewestKeyframe() -> Int {
        let newest = indices.last { index in
            if case .packet(let packet) = elements[index] {
                packet.track == .screen && packet.isKeyframe
            } else {
                false
            }
        }
        guard let newest, case .packet(var keyframe) = elements[newest] else { return 0 }
        guard let oldest = indices.first(where: { isVideo(elements[$0]) }), oldest < newest else { return 0 }
        keyframe.isDiscontinuity = true
        elements[newest] = .packet(keyframe)
        return removePackets { index, packet in packet.track == .screen && index < newest }
    }

    /// The decode time of the oldest waiting picture.
    var oldestVideo: MediaTime? {
        for index in indices {
            if case .packet(let packet) = elements[index], packet.track == .screen { return packet.decodeTime }
        }
        return nil
    }

    /// The time from the oldest to the newest waiting packet.
    var duration: MediaTime {
        let times = indices.lazy.compactMap { index -> MediaTime? in
            if case .packet(let packet) = elements[index] { packet.decodeTime } else { nil }
        }
        guard let oldest = times.first, let newest = times.last else { return .zero }
        return max(.zero, newest - oldest)
    }

    private var indices: Range<Int> { head..<elements.count }

    private func isVideo(_ element: PacketQueue.Element?) -> Bool {
        if case .packet(let packet) = element { packet.track == .screen } else { false }
    }

    /// Removes the packets for which `isRemoved` returns true. It gets the index of each packet.
    @discardableResult private mutating func removePackets(where isRemoved: (Int, EncodedPacket) -> Bool) -> Int {
        var kept: [PacketQueue.Element?] = []
        var removed = 0
        for index in indices {
            guard let element = elements[index] else { continue }
            if case .packet(let packet) = element, isRemoved(index, packet) {
                count(element, -1)
                removed += 1
            } else {
                kept.append(element)
            }
        }
        elements = kept
        head = 0
        return removed
    }

    private mutating func count(_ element: PacketQueue.Element, _ sign: Int) {
        guard case .packet(let packet) = element else { return }
        byteCount += sign * packet.data.count
        guard packet.track != .screen else { return }
        audioByteCount += sign * packet.data.count
        audioPacketCount += sign
    }
}
