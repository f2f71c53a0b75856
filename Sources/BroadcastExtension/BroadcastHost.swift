import Glibc

/// The way back to `broadcast`. It may be used at any time, from any thread.
public final class BroadcastHost: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Says what the extension is doing.
    public func status(_ text: String) { send(Reply(status: text)) }

    /// Says that the far end takes the broadcast, or does not for the moment; samples go on either way.
    public func ready(_ isReady: Bool) { send(Reply(ready: isReady)) }

    /// Says how much of the broadcast waits to be sent, for it is too slow: the host lowers the bitrate until nothing does. Some times a second at
    /// most, and 0 once it is over.
    public func waiting(milliseconds: Int) { send(Reply(queueMilliseconds: milliseconds)) }

    /// Says where viewers can watch.
    public func watchURL(_ url: String) { send(Reply(watchURL: url)) }

    /// Asks that the next picture be a keyframe.
    public func requestKeyframe() { send(Reply(request: "keyframe")) }

    /// Ends the broadcast for this destination with an error; the program ends here.
    public func finish(with error: BroadcastFailure) -> Never {
        send(Reply(error: .init(code: error.code, message: error.message, retry: error.retry)))
        exit(1)
    }

    /// A line is written whole, in one call: lines of several threads do not mix (PIPE_BUF is 4096 bytes on Linux).
    func send(_ reply: Reply) {
        var rest = reply.line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
