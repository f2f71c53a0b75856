import Media

/// The order of the uploads and deletions, so that no playlist names a missing object: a header, a segment, the
/// playlist, then the deletion of objects that players no longer need. It does no I/O: the caller performs a step and
/// then calls `complete`.
///
/// While the store is not available, segments wait, up to `maximumWaitingByteCount`. Above that limit, the oldest
/// waiting segment is dropped, and the next one is marked as discontinuous.
package struct Publication: Sendable {
    /// An operation on the store.
    package enum Step: Sendable, Equatable {
        case put(StoredObject)
        case delete(name: String)
    }

    private enum Stage: Sendable {
        case header, segment, playlist, cleaning
    }

    private struct Expired: Sendable {
        let name: String
        /// The published duration after which no player with an old playlist needs the object.
        let end: MediaTime
    }

    private let names: ObjectNames
    private let maximumWaitingByteCount: Int
    private var playlist: MediaPlaylist
    private var waiting: [Segment] = []
    private var segmentNumber = 0
    private var headerNumber = -1
    private var header: [UInt8]?
    private var stage = Stage.header
    private var expired: [Expired] = []
    private var published = MediaTime.zero
    private var isEnding = false
    /// True if the latest playlist from `nextStep` declares the end.
    private var hasHandedEnd = false

    /// The number of segments that were dropped because the store was not available.
    package private(set) var droppedSegments = 0
    /// True when the final playlist was uploaded and no step remains.
    package private(set) var isFinished = false

    /// - Parameters:
    ///   - playlist: an empty playlist.
    ///   - maximumWaitingByteCount: the maximum size of the waiting segments in bytes.
    package init(names: ObjectNames, playlist: MediaPlaylist, maximumWaitingByteCount: Int) {
        self.names = names
        self.playlist = playlist
        self.maximumWaitingByteCount = maximumWaitingByteCount
    }

    /// The number of segments that wait for the store.
    package var waitingSegments: Int { waiting.count }

    /// Adds a segment. If a segment must be dropped, the first one is kept, because its upload can be in progress.
    package mutating func append(_ segment: Segment) {
        waiting.append(segment)
        var byteCount = waiting.reduce(0) { $0 + $1.byteCount }
        while byteCount > maximumWaitingByteCount, waiting.count > 2 {
            byteCount -= waiting.remove(at: 1).byteCount
            waiting[1].isDiscontinuous = true
            droppedSegments += 1
        }
    }

    /// Declares that no more segments follow.
    package mutating func end() {
        isEnding = true
    }

    /// Returns the next step, or nil if there is none. It returns the same step until `complete` is called.
    package mutating func nextStep() -> Step? {
        if let segment = waiting.first {
            switch stage {
            case .header:
                if let header = segment.header, header != self.header {
                    return .put(StoredObject(name: names.header(headerNumber + 1), kind: .header, bytes: header))
                }
                stage = .segment
                return nextStep()
            case .segment: return .put(StoredObject(name: names.segment(segmentNumber), kind: .segment, bytes: segment.bytes))
            case .playlist, .cleaning: break
            }
        }
        switch stage {
        case .playlist:
            hasHandedEnd = isEnding && waiting.isEmpty
            return .put(StoredObject(name: names.playlist, kind: .playlist, bytes: Array(playlist.text(isEnded: hasHandedEnd).utf8)))
        case .cleaning:
            if let first = expired.first, hasHandedEnd || first.end <= published { return .delete(name: first.name) }
            stage = .header
            return nextStep()
        case .header, .segment:
            guard isEnding, !isFinished else { return nil }
            // Without a segment there is no new playlist, so the old one remains.
            guard segmentNumber > 0 else {
                isFinished = true
                return nil
            }
            stage = .playlist
            return nextStep()
        }
    }

    /// Call this when the step is complete, or when a deletion is abandoned.
    package mutating func complete() {
        switch stage {
        case .header:
            headerNumber += 1
            header = waiting.first?.header
            stage = .segment
        case .segment:
            publish(waiting.removeFirst())
            stage = .playlist
        case .playlist:
            isFinished = hasHandedEnd && expired.isEmpty
            stage = .cleaning
        case .cleaning:
            expired.removeFirst()
            isFinished = hasHandedEnd && expired.isEmpty
        }
    }

    private mutating func publish(_ segment: Segment) {
        let headerName = segment.header == nil ? nil : names.header(headerNumber)
        published += segment.duration
        let removed = playlist.append(
            MediaPlaylist.Entry(
                name: names.segment(segmentNumber), duration: segment.duration, date: segment.date, isDiscontinuous: segment.isDiscontinuous,
                header: headerName))
        segmentNumber += 1
        // A player can use an old playlist with this segment for that long (RFC 8216, 6.2.2).
        for entry in removed { expired.append(Expired(name: entry.name, end: published + entry.duration + playlist.duration)) }
        for name in Set(removed.compactMap(\.header)) where !playlist.entries.contains(where: { $0.header == name }) {
            expired.append(Expired(name: name, end: published + playlist.duration + playlist.duration))
        }
    }
}
