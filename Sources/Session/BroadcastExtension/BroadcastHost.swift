import Glibc
import Processes
import Synchronization

/// The connection from the extension to `broadcast`. Its methods can be called at any time, from any thread.
public final class BroadcastHost: Sendable {
    private let descriptor: Int32
    /// True while a bitrate that was reported holds.
    private let hasLimit = Atomic(false)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reports what the extension is doing, as text for the user.
    public func status(_ text: String) { send(Reply(status: text)) }

    /// Reports whether the remote service accepts the broadcast. The host sends samples in both cases.
    public func ready(_ isReady: Bool) { send(Reply(ready: isReady)) }

    /// Reports how much media time waits to be sent because the connection is too slow. The host lowers the bitrate
    /// until the backlog is 0. Call this at most a few times a second, and report 0 when the backlog is gone. A
    /// lower `acceptedBitrate` can be reported at any time, and the host follows at once.
    ///
    /// - Parameter acceptedBitrate: what the connection takes now, picture and sound together, in kbit/s. The host then
    ///   lowers the bitrate to that, as far as other destinations that share the picture allow, and does not draw
    ///   conclusions from the backlog. Nil if the extension does not know it, or not any more.
    public func waiting(milliseconds: Int, acceptedBitrate: Int? = nil) {
        // A host keeps the last value, and 0 takes it back.
        let hadLimit = hasLimit.exchange(acceptedBitrate != nil, ordering: .relaxed)
        send(Reply(queueMilliseconds: milliseconds, bitrate: acceptedBitrate ?? (hadLimit ? 0 : nil)))
    }

    /// Reports the address at which viewers can watch.
    public func watchURL(_ url: String) { send(Reply(watchURL: url)) }

    /// Reports how many people watch now. Call it when the number changes, at most a few times a second.
    public func viewers(_ count: Int) { send(Reply(viewers: count)) }

    /// Passes on what a viewer wrote. The user sees it in the terminal and with `broadcast chat`.
    public func comment(from name: String, text: String) { send(Reply(comment: .init(from: name, text: text))) }

    /// Requests a keyframe as the next video frame.
    public func requestKeyframe() { send(Reply(request: "keyframe")) }

    /// Ends the broadcast for this destination with an error, and exits the program.
    public func finish(with error: BroadcastFailure) -> Never {
        send(Reply(error: .init(code: error.code, message: error.message, retry: error.retry)))
        exit(1)
    }

    /// Writes a line in one call, so that lines of several threads are not mixed (PIPE_BUF is 4096 bytes on Linux).
    func send(_ reply: Reply) {
        try? FileDescriptor.writeAll(reply.line, to: descriptor)
    }
}
