import Glibc
import NIOPosix

/// SwiftNIO's event loops, without an effect on the process that hosts them.
///
/// On Linux, SwiftNIO ignores SIGPIPE in the whole process when it makes its first socket. The process can be a program
/// that wants that signal (BroadcastKit). Here the threads of the event loops block SIGPIPE instead, so that their
/// writes to a closed connection fail with EPIPE, and the process keeps its disposition (signal(7),
/// pthread_sigmask(3)). SwiftNIO ignores the signal only once, so a program that uses SwiftNIO itself must ignore it
/// itself.
package enum EventLoops {
    /// Returns an event loop with a thread of its own. Thread-safe.
    package static func make() -> MultiThreadedEventLoopGroup {
        _ = keepsDisposition
        return makeGroup()
    }

    private static func makeGroup() -> MultiThreadedEventLoopGroup {
        var brokenPipe = sigset_t()
        var before = sigset_t()
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        // A new thread has the signal mask of the thread that creates it.
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    /// Makes SwiftNIO's first socket, and undoes what that does to SIGPIPE. If the system has no descriptor left,
    /// SwiftNIO ignores the signal later.
    private static let keepsDisposition: Void = {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return }
        var disposition = sigaction()
        sigaction(SIGPIPE, nil, &disposition)
        let group = makeGroup()
        // The disposition has changed when this returns. The socket is closed with the group.
        let connection = ClientBootstrap(group: group).withConnectedSocket(ends[0])
        sigaction(SIGPIPE, &disposition, nil)
        close(ends[1])
        connection.whenComplete { _ in group.shutdownGracefully { _ in } }
    }()
}
