import Glibc

/// The clips that an extension received and has not removed yet. Their number and size are limited, so that they do not
/// fill the disk.
struct WaitingClips {
    private struct Clip {
        let path: String
        let byteCount: Int
    }

    private let maximumCount: Int
    private let maximumByteCount: Int
    /// The clips, oldest first.
    private var clips: [Clip] = []

    init(maximumCount: Int = 64, maximumByteCount: Int = 1 << 30) {
        self.maximumCount = maximumCount
        self.maximumByteCount = maximumByteCount
    }

    /// Adds a clip, removes the oldest ones above the limit, and returns the paths of the removed ones. The new clip
    /// always stays.
    mutating func append(_ path: String, byteCount: Int) -> [String] {
        clips.removeAll { access($0.path, F_OK) != 0 }
        clips.append(Clip(path: path, byteCount: byteCount))
        var removed: [String] = []
        while clips.count > 1
            && (clips.count > maximumCount || clips.reduce(0) { $0 + $1.byteCount } > maximumByteCount)
        {
            let oldest = clips.removeFirst()
            // The extension may have removed it meanwhile.
            if unlink(oldest.path) == 0 { removed.append(oldest.path) }
        }
        return removed
    }

    /// Removes all remaining clips.
    mutating func removeAll() {
        for clip in clips { unlink(clip.path) }
        clips = []
    }
}
