import Glibc
import Synchronization
import Threads

/// Connects a broadcast with the desktop on the session bus, on its own thread. The desktop suppresses notifications
/// and shows that the screen is captured. The broadcast is notified when the screen is locked.
package final class DesktopLink: Sendable {
    /// The settings of a link.
    package struct Request: Sendable {
        /// The address of the session bus (D-Bus Specification, Server Addresses).
        package var address: String
        package var holdsNotifications = true
        /// If true, the idle screen saver is inhibited.
        package var keepsAwake = true
        /// The path of the file that stores what to restore. Its folder must exist.
        package var recordPath: String
        package var run: ProgramRunner

        package init(address: String, recordPath: String, run: @escaping ProgramRunner) {
            self.address = address
            self.recordPath = recordPath
            self.run = run
        }
    }

    private let request: Request
    private let lockChanged: @Sendable (Bool) -> Void
    private let warn: @Sendable (String) -> Void
    /// Readable when the link must end.
    private let stopPipe: (read: Int32, write: Int32)?
    private let began = Once<String?>()
    private let ended = Once<Void>()

    /// - Parameters:
    ///   - lockChanged: called on the link's thread when the screen is locked or unlocked.
    ///   - warn: called on the link's thread, after `begin`, with a sentence for the user if the desktop no longer
    ///     fulfils the request.
    package init(_ request: Request, lockChanged: @escaping @Sendable (Bool) -> Void, warn: @escaping @Sendable (String) -> Void) {
        self.request = request
        self.lockChanged = lockChanged
        self.warn = warn
        var ends: [Int32] = [-1, -1]
        stopPipe = pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        if let stopPipe {
            close(stopPipe.read)
            close(stopPipe.write)
        }
    }

    /// Starts the link. Returns when the desktop fulfils the request, after at most one second. Returns a sentence for
    /// the user if the desktop does not fulfil it, otherwise nil.
    package func begin() async -> String? {
        guard let stopPipe else { return nil }
        _ = NamedThread(name: "desktop") { [self] in
            run(until: stopPipe.read)
            ended.set(())
        }
        let late = request.holdsNotifications ? "The desktop takes long to answer; notifications may be seen." : nil
        return await began.value(within: .seconds(1), else: late)
    }

    /// Ends the link. Returns when the desktop is restored, after at most one second.
    package func end() async {
        guard let stopPipe else { return }
        _ = write(stopPipe.write, [1], 1)
        await ended.value(within: .seconds(1), else: ())
    }

    private func run(until descriptor: Int32) {
        guard let bus = SessionBus(address: request.address) else { return began.set(nil) }
        var quiet = DoNotDisturb(bus: bus, recordPath: request.recordPath, run: request.run)
        var warning: String?
        if request.holdsNotifications { warning = quiet.begin() } else { quiet.restoreAfterCrash() }
        if request.keepsAwake { ScreenSaverInhibition.ask(bus) }
        var lock = ScreenLockWatch(bus: bus)
        if lock.isLocked { lockChanged(true) }
        var indicator = CaptureIndicator(bus: bus)
        began.set(warning)
        while let message = bus.nextMessage(unlessReadable: descriptor) {
            if lock.note(message) { lockChanged(lock.isLocked) }
            if quiet.isNewService(message) {
                let before = warning
                warning = holdAgain(&quiet, unlessReadable: descriptor)
                // If a service without do-not-disturb stops and starts repeatedly, warn only once.
                if let warning, warning != before { warn(warning) }
            }
            indicator.handle(message)
        }
        indicator.end()
        quiet.end()
    }

    /// Sends the request to a notification service that has just started. Returns a sentence for the user if
    /// notifications are not suppressed, otherwise nil.
    private func holdAgain(_ quiet: inout DoNotDisturb, unlessReadable descriptor: Int32) -> String? {
        guard let warning = quiet.beginAgain() else { return nil }
        // A service can own its name a moment before its do-not-disturb is available.
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 300) > 0 ? warning : quiet.beginAgain()
    }
}
