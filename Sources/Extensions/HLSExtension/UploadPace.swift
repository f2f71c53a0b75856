import Media

/// Estimates the bitrate that a store accepts from the times of its uploads, as a ceiling for the encoder. A value
/// without a clock.
///
/// A segment must be uploaded in less time than it lasts. If another one waits, or the upload took almost as long, the
/// ceiling is 80 % of the measured rate. It rises by a quarter with each segment that needed less than half of its
/// duration.
package struct UploadPace: Sendable, Equatable {
    /// The bitrate of picture and sound in kbit/s; nil while no limit is known.
    package private(set) var ceiling: Int?

    package init() {}

    /// A segment was uploaded.
    ///
    /// - Parameters:
    ///   - duration: of the segment's media.
    ///   - elapsed: the time of the upload.
    ///   - isLast: false if further segments wait.
    package mutating func uploaded(byteCount: Int, duration: MediaTime, in elapsed: MediaTime, isLast: Bool) {
        if !isLast || elapsed.seconds > duration.seconds * 0.9 {
            ceiling = share(byteCount: byteCount, elapsed)
        } else if let ceiling, elapsed.seconds < duration.seconds / 2 {
            self.ceiling = min(ceiling + max(1, ceiling / 4), 1_000_000)
        }
    }

    /// A segment is still being uploaded, and the next one waits.
    package mutating func isLate(byteCount: Int, duration: MediaTime, in elapsed: MediaTime) {
        guard elapsed > duration else { return }
        let share = share(byteCount: byteCount, elapsed)
        ceiling = min(ceiling ?? share, share)
    }

    private func share(byteCount: Int, _ elapsed: MediaTime) -> Int {
        max(1, Int(Double(byteCount) * 8 / 1000 / max(0.001, elapsed.seconds) * 0.8))
    }
}
