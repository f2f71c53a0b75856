import BroadcastExtension
import Media

/// The segments that players never get.
package struct LostMedia: Sendable, Equatable {
    package var segments: Int
    package var duration: MediaTime

    package init(segments: Int, duration: MediaTime) {
        self.segments = segments
        self.duration = duration
    }

    /// The last status of a broadcast whose end was uploaded; empty if nothing is lost.
    package var status: String { segments == 0 ? "" : "\(text) could not be uploaded" }

    /// Returns the failure of a broadcast whose end is missing, or nil if the end was uploaded.
    ///
    /// - Parameter before: what was lost before the time for the end was over.
    package func failure(after before: LostMedia) -> BroadcastFailure? {
        guard segments > before.segments else { return nil }
        return BroadcastFailure(
            code: 503, message: "The end of the broadcast is missing: \(text) could not be uploaded in time",
            retry: true)
    }

    private var text: String {
        "\(segments) \(segments == 1 ? "segment" : "segments") (\(duration.milliseconds / 1000) s)"
    }
}
