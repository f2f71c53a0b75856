import Capture
import Media
import PulseCapture
import Synchronization
import Upload

/// What happens in a session, as it happens.
package enum SessionEvent: Sendable {
    /// The source is open and every encoder that is needed now. Nothing was sent yet.
    case opened(SourceDescription?)
    case state(SessionState)
    /// Every destination is live or over.
    case started
    case destination(SessionSnapshot.Destination)
    /// Another application is in front, or its window's title changed.
    case application(ApplicationInformation)
    case notice(SessionNotice)
    case annotation([String: String])
    case clip(SavedClip)
    /// About twice a second: figures changed.
    case statistics
}

/// Something that the user should know and that ends nothing.
package enum SessionNotice: Sendable, Equatable {
    case source(SourceNotice)
    /// The display does not answer: viewers keep seeing the last picture.
    case sourceStalled
    case sourceAnswersAgain
    /// Viewers get a slate and silence until the screen is unlocked.
    case screenLocked
    case soundUnavailable(code: Int32)
    case soundInterrupted(Track, PulseProblem)
    /// The file or pipe that sound comes from failed. The broadcast goes on in silence.
    case soundContentFailed(CaptureError)
    /// kbit/s: the destination does not take what was asked for.
    case bitrateLowered(destination: String, from: Int, to: Int)
    /// kbit/s.
    case bitrateRestored(Int)
    case destination(name: String, UploadNotice)
}

/// A stretch of the past that was saved.
package struct SavedClip: Sendable, Equatable {
    package var path: String
    /// On the session's clock.
    package var start: MediaTime
    package var duration: MediaTime
}

/// The way in which threads of the pipeline report: a bounded stream of which the oldest events are dropped. Nothing ever waits here.
final class EventChannel: Sendable {
    private static let limit = 512

    let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.limit))
    }

    func send(_ event: SessionEvent) {
        continuation.yield(event)
    }

    func send(_ notice: SessionNotice) {
        continuation.yield(.notice(notice))
    }

    func finish() {
        continuation.finish()
    }
}
