import Glibc

/// The clips that an extension was told of and has not taken away yet: so many, and so many bytes, that a forgetful one does not fill the disk.
struct WaitingClips {
    private struct Clip {
        let path: String
        let byteCount: Int
    }

    private let maximumCount: Int
    private let maximumByteCount: Int
    /// The oldest first.
    private var clips: [Clip] = []

    init(maximumCount: Int = 64, maximumByteCount: Int = 1 << 30) {
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
    }

    /// Counts a new clip in, and removes the oldest ones that are too many; gives their paths. The new one always stays.
    mutating func append(_ path: String, byteCount: Int) -> [String] {
        clips.removeAll { access($0.path, F_OK) != 0 }
        clips.append(Clip(path: path, byteCount: byteCount))
        var removed: [String] = []
        while clips.count > 1 && (clips.count > maximumCount || clips.reduce(0) { $0 + $1.byteCount } > maximumByteCount) {
            let oldest = clips.removeFirst()
            // It may have been taken just now.
            if unlink(oldest.path) == 0 { removed.append(oldest.path) }
        }
        return removed
    }

    /// Removes all that are left.
    mutating func removeAll() {
        for clip in clips { unlink(clip.path) }
        clips = []
    }
}
