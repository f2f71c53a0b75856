import Concurrency
import Glibc
import Processes
import Synchronization

/// The file that the desktop's image viewer reads. It shows the user's screen, so it is removed: by `remove`, at the
/// end of the process, and by a signal that ends the process. A process shows one picture.
package struct ViewedPicture {
    package let path: String
    /// The program that opened the viewer, until the viewer is closed.
    var viewer: LaunchedProgram?

    /// The seconds after which the file is removed if there is no terminal for an answer.
    package static let grace: UInt32 = 10

    /// The address of the path while the file exists, for the signal handler, which cannot allocate; otherwise 0.
    private static let pending = Atomic<UInt>(0)

    /// Takes over the file at `path`, which exists or will be written.
    package init(path: String) {
        self.path = path
        Self.pending.store(UInt(bitPattern: strdup(path)), ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number, Self.removeAndRaise)
            // As under nohup(1).
            if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
        atexit { ViewedPicture.removePending() }
    }

    /// Removes the file.
    package func remove() {
        Self.removePending()
    }

    /// True if a viewer shows the file and `close` cannot end it: the program that opened it is over, and started no
    /// viewer itself.
    package var isWithAnotherProgram: Bool { viewer.map { !$0.isRunning } ?? false }

    /// Ends the viewer, waits until it is over, and removes the file.
    package func close() async {
        await viewer?.endGroup(within: .milliseconds(500))
        remove()
    }

    /// Removes the file after `grace`, or at the end of the process if that is sooner.
    package func removeLater() {
        _ = NamedThread.detach(name: "preview file") {
            sleep(Self.grace)
            Self.removePending()
        }
    }

    private static func removePending() {
        guard let path = UnsafePointer<CChar>(bitPattern: pending.exchange(0, ordering: .sequentiallyConsistent)) else {
            return
        }
        unlink(path)
    }

    /// Removes the file and ends the process by the same signal, with functions that signal-safety(7) allows.
    private static let removeAndRaise: @convention(c) (Int32) -> Void = { number in
        ViewedPicture.removePending()
        signal(number, SIG_DFL)
        raise(number)
    }
}
