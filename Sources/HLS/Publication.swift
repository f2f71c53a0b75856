import Media

/// What is to be done in which order, so that no playlist ever names what is not there: a header, a segment, then the playlist, then
/// what nobody needs any more. No I/O: whoever holds it does a step and says so.
///
/// While a store is away segments wait, up to `maximumWaitingByteCount`; past that the oldest goes, and the next one says that it does
/// not follow on.
package struct Publication: Sendable {
    /// Something to do with the store.
    package enum Step: Sendable, Equatable {
        case put(StoredObject)
        case delete(name: String)
    }

    private enum Stage: Sendable {
        case header, segment, playlist, cleaning
    }

    private struct Expired: Sendable {
        let name: String
        /// Published time at which nobody who had a playlist with it still plays it.
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
    /// The playlist that was handed out last says that it is over.
    private var hasHandedEnd = false

    /// Segments that were let go because the store was away.
    package private(set) var droppedSegments = 0
    /// True once the playlist says that it is over, and nothing is left to do.
    package private(set) var isFinished = false

    /// - Parameters:
    ///   - playlist: still empty.
    ///   - maximumWaitingByteCount: how much memory may wait for a store that is away.
    package init(names: ObjectNames, playlist: MediaPlaylist, maximumWaitingByteCount: Int) {
        self.names = names
        self.playlist = playlist
        self.maximumWaitingByteCount = maximumWaitingByteCount
    }

    /// Segments that wait for the store.
    package var waitingSegments: Int { waiting.count }

    /// Adds a segment. The oldest one stays: it may be on its way.
    package mutating func append(_ segment: Segment) {
        waiting.append(segment)
        var byteCount = waiting.reduce(0) { $0 + $1.byteCount }
        while byteCount > maximumWaitingByteCount, waiting.count > 2 {
            byteCount -= waiting.remove(at: 1).byteCount
            waiting[1].isDiscontinuous = true
            droppedSegments += 1
        }
    }

    /// Nothing more comes.
    package mutating func end() {
        isEnding = true
    }

    /// What is to be done now; nil while there is nothing. It stays the same until `complete` is called.
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
            // An old playlist stays where nothing takes its place.
            guard segmentNumber > 0 else {
                isFinished = true
                return nil
            }
            stage = .playlist
            return nextStep()
        }
    }

    /// The step was done, or (a deletion) given up.
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
        // A player may hold a playlist with it that long after (RFC 8216, 6.2.2).
        for entry in removed { expired.append(Expired(name: entry.name, end: published + entry.duration + playlist.duration)) }
        for name in Set(removed.compactMap(\.header)) where !playlist.entries.contains(where: { $0.header == name }) {
            expired.append(Expired(name: name, end: published + playlist.duration + playlist.duration))
        }
    }
}
