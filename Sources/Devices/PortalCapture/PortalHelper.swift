import Bus
import Capture
import Concurrency
import Glibc
import Processes

/// The process that talks to the portal for a process that protects its memory: `broadcast portal-helper`, with a
/// connection of messages (`MessageSocket`) as its standard input.
///
/// The portal looks into /proc/PID of the process that owns a connection to the bus, at the connection's first call.
/// The kernel forbids that for a process whose memory is protected (proc(5), PR_SET_DUMPABLE of prctl(2)). So this
/// process is not protected at first, and has no secret then: no environment, and only the question in its memory. It
/// protects itself when the portal has looked, and only then receives the token and the connection to PipeWire.
package struct PortalHelper {
    private static let word = "portal-helper"

    /// The command that starts it, for `PortalRequest.helper`.
    package static let command = ["/proc/self/exe", word]

    /// Returns nil if the arguments, which start with the program's name, are not for the helper.
    package init?(arguments: [String]) {
        guard arguments.count == 2, arguments[1] == Self.word else { return nil }
    }

    /// Serves the process that started it. Returns when that process closes the connection, or when the request failed.
    ///
    /// - Parameter protect: protects the memory of this process.
    package func run(protect: () -> Void) {
        let socket = MessageSocket(borrowing: STDIN_FILENO)
        guard let question = socket.receive(PortalQuestion.self) else { return }
        // The caller sends nothing more after the token, so the connection is readable when it is closed.
        let conversation = PortalSession(question: question, stop: STDIN_FILENO, isCancelled: { false }) {
            message, remote in
            let socket = MessageSocket(borrowing: STDIN_FILENO)
            guard let remote else {
                _ = socket.send(message)
                return
            }
            let descriptor = remote.take()
            socket.send(message, descriptor: descriptor)
            close(descriptor)
        }
        conversation.run {
            protect()
            socket.send(PortalMessage.prepared)
            return socket.receive(PortalToken.self)?.token
        }
    }
}

/// A helper from its caller's side. Use it on one thread, which must exist as long as the helper.
struct PortalHelperProcess: ~Copyable {
    /// For the helper to end the session in the desktop, after its connection was closed.
    private static let endLimit = Duration.seconds(2)

    private let sockets: SocketPair
    private let pid: pid_t

    /// Starts the helper without an environment and asks it.
    ///
    /// - Parameter command: the program and its arguments.
    init(_ command: [String], _ question: PortalQuestion) throws(SystemError) {
        var sockets = try SocketPair(keepsMessages: true)
        var program = Program(command[0], arguments: command, environment: [:], folder: "/")
        program.endsWithThread = true
        program.writesCoreFile = false
        pid = try program.start(Program.Descriptors(input: sockets.theirs))
        sockets.closeTheirs()
        self.sockets = sockets
        MessageSocket(borrowing: self.sockets.ours).send(question)
    }

    /// Passes on what happens, until the helper ends or `stop` is readable.
    ///
    /// - Parameters:
    ///   - token: the choice to restore; nil to ask the user.
    ///   - say: receives what happens. The connection to PipeWire comes with `granted`.
    func follow(token: String?, stop: Int32, say: (PortalMessage, BusDescriptor?) -> Void) {
        let socket = MessageSocket(borrowing: sockets.ours)
        while true {
            var pollers = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: sockets.ours, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&pollers, 2, -1) < 0 && errno == EINTR { continue }
            guard pollers[0].revents == 0 else { return }
            var descriptor: Int32 = -1
            guard let message = socket.receive(PortalMessage.self, descriptor: &descriptor) else { return }
            if case .prepared = message { socket.send(PortalToken(token: token)) }
            say(message, descriptor >= 0 ? BusDescriptor(owning: descriptor) : nil)
        }
    }

    /// Closes the connection and waits for the end of the helper.
    consuming func end() {
        shutdown(sockets.ours, Int32(SHUT_RDWR))
        Program.end(pid, within: Self.endLimit)
    }
}
