import Bus
import Concurrency
import Glibc
import Processes
import Synchronization

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
    private let warn: @Sendable (DesktopWarning) -> Void
    /// Becomes readable when the link must end.
    private let stopPipe: Mutex<Pipe?>
    private let began = Once<DesktopWarning?>()
    private let ended = Once<Void>()

    /// - Parameters:
    ///   - lockChanged: called on the link's thread with true when the screen is locked, and with false when it is
    ///     unlocked.
    ///   - warn: called on the link's thread if a setting of the desktop is lost after `begin`.
    package init(
        _ request: Request, lockChanged: @escaping @Sendable (Bool) -> Void,
        warn: @escaping @Sendable (DesktopWarning) -> Void
    ) {
        self.request = request
        self.lockChanged = lockChanged
        self.warn = warn
        stopPipe = Mutex(try? Pipe())
    }

    /// Restores the notifications that a crashed broadcast left off. Takes some milliseconds if there is something to
    /// do, and else only looks at a file. Blocks.
    ///
    /// - Returns: true if they were restored.
    package static func restoreAfterCrash(_ request: Request) -> Bool {
        guard QuietRecord.isPending(path: request.recordPath), let bus = BusConnection(address: request.address) else {
            return false
        }
        return DoNotDisturb(bus: bus, recordPath: request.recordPath, run: request.run).restoreAfterCrash()
    }

    /// Returns when the desktop has accepted the settings, after at most one second. Returns a warning if it has not.
    package func begin() async -> DesktopWarning? {
        let descriptor = stopPipe.withLock { $0?.reading ?? -1 }
        guard descriptor >= 0 else { return nil }
        _ = NamedThread(name: "desktop") { [self] in
            run(until: descriptor)
            ended.set(())
        }
        let late: DesktopWarning? = request.holdsNotifications ? .slow : nil
        return await began.value(within: .seconds(1)) ?? late
    }

    /// Ends the link. Returns when the desktop is restored, after at most one second.
    package func end() async {
        // The closed end wakes the thread.
        stopPipe.withLock { $0?.closeWriting() }
        _ = await ended.value(within: .seconds(1))
    }

    private func run(until descriptor: Int32) {
        guard let bus = BusConnection(address: request.address) else {
            began.set(request.holdsNotifications ? .noBus : nil)
            return
        }
        var quiet = DoNotDisturb(bus: bus, recordPath: request.recordPath, run: request.run)
        var warning: DesktopWarning?
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

    /// Sends the settings to a notification service that has just started. Returns a warning if it does not suppress
    /// notifications.
    private func holdAgain(_ quiet: inout DoNotDisturb, unlessReadable descriptor: Int32) -> DesktopWarning? {
        guard let warning = quiet.beginAgain() else { return nil }
        // A service can own its name a moment before its do-not-disturb is available.
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 300) > 0 ? warning : quiet.beginAgain()
    }
}
