import Media

/// The order of the uploads and deletions, so that no playlist names a missing object: a header, a segment, the
/// playlist, and later the deletion of objects that no player needs. It does no I/O and reads no clock: the caller
/// performs an upload and then calls `completeUpload`, and beside that performs the deletions that are due.
///
/// While the store is not available, segments wait, up to `maximumWaitingByteCount`. Above that limit, the oldest
/// waiting segment is dropped, and the next one is marked as discontinuous.
package struct Publication: Sendable {
    private enum Stage: Sendable {
        case header, segment, playlist
    }

    private struct Expired: Sendable {
        let name: String
        /// The time from which on no player with an old playlist needs the object.
        let end: MediaTime
    }

    package let names: ObjectNames
    private let maximumWaitingByteCount: Int
    private var playlist: MediaPlaylist
    private var waiting: [Segment] = []
    private var segmentNumber = 0
    private var headerNumber = -1
    private var header: [UInt8]?
    private var stage = Stage.header
    /// Objects that the next playlist does not name any more, with their durations.
    private var removed: [(name: String, duration: MediaTime)] = []
    private var expired: [Expired] = []
    /// The duration of the longest playlist so far.
    private var longestPlaylist = MediaTime.zero
    private var isEnding = false
    /// True if the latest playlist from `nextUpload` declares the end.
    private var hasHandedEnd = false
    /// True if the first segment continues a playlist of an earlier process.
    private var isContinuation = false
    /// True if the last segment was dropped, so the next one is discontinuous.
    private var followsGap = false

    /// The number of segments that were dropped because the store was not available.
    package private(set) var droppedSegments = 0
    /// The duration of their media.
    package private(set) var droppedDuration = MediaTime.zero
    /// True when no upload remains.
    package private(set) var isFinished = false
    /// True when the final playlist was uploaded.
    package private(set) var hasPublishedEnd = false

    /// - Parameters:
    ///   - playlist: an empty playlist.
    ///   - maximumWaitingByteCount: the maximum size of the waiting segments in bytes.
    package init(names: ObjectNames, playlist: MediaPlaylist, maximumWaitingByteCount: Int) {
        self.names = names
        self.playlist = playlist
        self.maximumWaitingByteCount = maximumWaitingByteCount
    }

    /// The number of segments that wait for the store, with the one that is being uploaded.
    package var waitingSegments: Int { waiting.count }

    /// The duration of their media.
    package var waitingDuration: MediaTime { waiting.reduce(.zero) { $0 + $1.duration } }

    /// The segment that is uploaded now or next.
    package var currentSegment: Segment? { waiting.first }

    /// Continues a playlist that an earlier process left. The first segment becomes discontinuous. Objects of that
    /// process that the playlist does not name are deleted in time. Call this before the first upload.
    package mutating func resume(_ playlist: MediaPlaylist) {
        self.playlist = playlist
        longestPlaylist = playlist.duration
        isContinuation = true
        guard let first = playlist.entries.first, let last = playlist.entries.last else { return }
        // Objects that had left the playlist and waited for their deletion. Each stays for its own duration and that of
        // the playlist, so they are about as many as the playlist has. It has no effect to delete one again.
        let count = playlist.entries.count + 2
        var others = [first.header, first.name].compactMap(\.self).flatMap {
            names.others(like: $0, distances: -count...(-1))
        }
        // An object that was uploaded, and the playlist was not.
        others += [last.header, last.name].compactMap(\.self).flatMap { names.others(like: $0, distances: 1...1) }
        removed = others.map { ($0, first.duration) }
    }

    /// Adds a segment. If a segment must be dropped, the first one is kept, because its upload can be in progress.
    package mutating func append(_ segment: Segment) {
        waiting.append(segment)
        if followsGap { waiting[waiting.count - 1].isDiscontinuous = true }
        followsGap = false
        var byteCount = waiting.reduce(0) { $0 + $1.byteCount }
        while byteCount > maximumWaitingByteCount, waiting.count > 2 {
            byteCount -= waiting[1].byteCount
            drop(at: 1)
        }
    }

    /// Drops a segment, and marks the next one as discontinuous.
    private mutating func drop(at index: Int) {
        droppedSegments += 1
        droppedDuration = droppedDuration + waiting.remove(at: index).duration
        if index < waiting.count { waiting[index].isDiscontinuous = true } else { followsGap = true }
    }

    /// Drops the segment that `nextUpload` named, or whose header it named. The next upload is another object.
    package mutating func leaveOutSegment() {
        guard stage != .playlist, !waiting.isEmpty else { return }
        drop(at: 0)
        stage = .header
    }

    /// Declares that no more segments follow.
    package mutating func end() {
        isEnding = true
    }

    // MARK: Uploads

    /// Returns the next object to upload; nil if nothing waits. It returns the same object until `completeUpload` is
    /// called.
    package mutating func nextUpload() -> StoredObject? {
        if let segment = waiting.first, stage != .playlist {
            if stage == .header, let header = segment.header, header != self.header {
                return StoredObject(name: names.header(headerNumber + 1), kind: .header, bytes: header)
            }
            stage = .segment
            return StoredObject(name: names.segment(segmentNumber), kind: .segment, bytes: segment.bytes)
        }
        if stage != .playlist {
            guard isEnding, !isFinished else { return nil }
            // Without a segment there is no new playlist, so the old one remains.
            guard segmentNumber > 0 || isContinuation else {
                isFinished = true
                return nil
            }
            stage = .playlist
        }
        hasHandedEnd = isEnding && waiting.isEmpty
        return StoredObject(
            name: names.playlist, kind: .playlist, bytes: Array(playlist.text(isEnded: hasHandedEnd).utf8))
    }

    /// Call this when the upload is complete.
    ///
    /// - Parameter time: now, on a clock that never goes back.
    package mutating func completeUpload(at time: MediaTime) {
        switch stage {
        case .header:
            headerNumber += 1
            header = waiting.first?.header
            stage = .segment
        case .segment:
            publish(waiting.removeFirst())
            stage = .playlist
        case .playlist:
            isFinished = hasHandedEnd
            hasPublishedEnd = hasHandedEnd
            longestPlaylist = max(longestPlaylist, playlist.duration)
            // A player can use an old playlist with the object for that long (RFC 8216, 6.2.2).
            for object in removed {
                expired.append(Expired(name: object.name, end: time + object.duration + longestPlaylist))
            }
            removed = []
            stage = .header
        }
    }

    /// Drops the segments that wait, also the one that is being uploaded, so that the final playlist is next. Call this
    /// after `end`, if the time for the end is almost over.
    package mutating func skipToEnd() {
        droppedDuration = droppedDuration + waitingDuration
        droppedSegments += waiting.count
        waiting = []
        if stage != .playlist { stage = .header }
    }

    private mutating func publish(_ segment: Segment) {
        let headerName = segment.header == nil ? nil : names.header(headerNumber)
        let isFirst = segmentNumber == 0
        let old = playlist.append(
            MediaPlaylist.Entry(
                name: names.segment(segmentNumber), duration: segment.duration, date: segment.date,
                isDiscontinuous: segment.isDiscontinuous || isFirst && isContinuation, header: headerName))
        segmentNumber += 1
        removed += old.map { ($0.name, $0.duration) }
        for name in Set(old.compactMap(\.header)) where !playlist.entries.contains(where: { $0.header == name }) {
            let duration = old.last { $0.header == name }?.duration ?? .zero
            removed.append((name, duration))
        }
    }

    // MARK: Deletions

    /// Returns the name of an object that can be deleted at `time`; nil if no object can be deleted. It returns the
    /// same name until `completeDeletion` is called.
    package func nextDeletion(at time: MediaTime) -> String? {
        expired.first.flatMap { $0.end <= time ? $0.name : nil }
    }

    /// Call this when the object is deleted, or when its deletion is abandoned.
    package mutating func completeDeletion() {
        expired.removeFirst()
    }
}
