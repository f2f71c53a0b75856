import Capture
import Media
import Pipeline
import Upload

/// An event of a session.
package enum SessionEvent: Sendable {
    /// The source and the encoders are open. Nothing has been sent yet.
    case opened(SourceDescription?)
    case state(SessionState)
    /// Each destination is live or over.
    case started
    case destination(DestinationSnapshot)
    /// Another application is active, or the title of its window changed.
    case application(ApplicationInformation)
    case notice(SessionNotice)
    case annotation([String: String])
    case clip(SavedClip)
    /// A viewer wrote something.
    case comment(ViewerComment, destination: String)
    /// The figures of the snapshot changed. Sent about twice a second.
    case statistics
}

/// A notice for the user. The session and its destinations continue.
package enum SessionNotice: Sendable, Equatable {
    case pipeline(PipelineNotice)
    /// The bitrate was lowered because the network of the destination is too slow; kbit/s.
    ///
    /// - Parameter sharedWith: the destinations that share the picture, and get the lower bitrate too.
    case bitrateLowered(destination: String, from: Int, to: Int, sharedWith: [String])
    /// The destination takes less than the bitrate that it shares with others, which is not lowered further; kbit/s.
    /// Its pictures are dropped.
    case tooSlowForShared(destination: String, takes: Int, bitrate: Int)
    /// The bitrate is the chosen one again; kbit/s.
    case bitrateRestored(Int)
    /// The encoder is slower than real time, or fast enough again, so it does less or more than before. The frame rate
    /// is that of the stream.
    case encoderReduced(EncoderReduction, frameRate: Int)
    case destination(name: String, UploadNotice)
}

/// A clip that was saved.
package struct SavedClip: Sendable, Equatable {
    package var path: String
    /// The session's time at its start.
    package var start: MediaTime
    package var duration: MediaTime
}

/// A bounded stream of events from the threads of the pipeline. If the reader is slow, the oldest events are dropped.
/// Thread-safe. No call waits.
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

    func send(_ event: PipelineEvent) {
        switch event {
        case .application(let information): send(SessionEvent.application(information))
        case .notice(let notice): send(SessionNotice.pipeline(notice))
        }
    }

    func finish() {
        continuation.finish()
    }
}
