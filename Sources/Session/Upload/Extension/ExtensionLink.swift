import BroadcastExtension
import Media
import Synchronization

/// The state that an extension's handler shares with other threads: the extension's last remarks, the number of bytes
/// that it received, and the handler's context.
final class ExtensionLink: Sendable {
    /// True if the extension has reported that it is not ready, so a later report that it is ready is the far end's
    /// answer.
    private static func confirms(_ remarks: HandlerRemarks) -> Bool { !remarks.isReady || remarks.isConfirmed }

    private struct State {
        var remarks = HandlerRemarks()
        var context = HandlerContext()
    }

    private let state = Mutex(State())
    let byteCount = Atomic(0)

    var remarks: HandlerRemarks { state.withLock { $0.remarks } }

    func attach(_ context: HandlerContext) {
        state.withLock { $0.context = context }
    }

    /// True if an earlier process of the destination was live.
    var wasLive: Bool { state.withLock { $0.context.wasLive } }

    func report(_ notice: UploadNotice) {
        state.withLock { $0.context.report }(notice)
    }

    /// `CLOCK_MONOTONIC` in nanoseconds at the session's time zero; nil before the session has begun.
    var clockOrigin: Int64? { state.withLock { $0.context.clockOrigin }() }

    /// Stores the remarks in a reply, and forwards a comment, a request for a keyframe and a bitrate that has fallen to
    /// the session.
    ///
    /// - Parameter isFinishing: true after the end of the broadcast.
    func note(_ reply: Reply, isFinishing: Bool) {
        let (comment, requestKeyframe, acceptsLess) = state.withLock { state in
            let bitrate = state.remarks.bitrate
            if let url = reply.watchURL { state.remarks.watchURL = url }
            if let status = reply.status.map({ $0.isEmpty ? nil : $0 }) {
                state.remarks.status = status
                if isFinishing { state.remarks.finalStatus = status }
            }
            if let isReady = reply.ready {
                state.remarks.isConfirmed = Self.confirms(state.remarks)
                state.remarks.isReady = isReady
            }
            if let waiting = reply.queueMilliseconds {
                state.remarks.backlog = MediaTime(milliseconds: Int64(min(max(0, waiting), 3_600_000)))
            }
            if let bitrate = reply.bitrate { state.remarks.bitrate = bitrate > 0 ? min(bitrate, 10_000_000) : nil }
            if let viewers = reply.viewers { state.remarks.viewers = min(max(0, viewers), 1_000_000_000) }
            let hasFallen = state.remarks.bitrate.map { $0 < bitrate ?? .max } ?? false
            return (
                state.context.comment, reply.request == "keyframe" ? state.context.requestKeyframe : nil,
                hasFallen ? state.context.acceptsLess : nil
            )
        }
        if let text = reply.comment, !text.text.isEmpty { comment(ViewerComment(name: text.from, text: text.text)) }
        requestKeyframe?()
        acceptsLess?()
    }
}
