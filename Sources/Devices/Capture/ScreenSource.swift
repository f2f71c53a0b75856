import Concurrency
import Media

/// A source of pictures. Create, use and release it on one thread.
package protocol ScreenSource: AnyObject {
    /// The captured source, for the user and for scripts.
    var description: SourceDescription { get }

    /// The current size of the pictures in pixels. It can change between two pictures.
    var size: PixelSize { get }

    /// The source's own frame rate, or nil if the caller determines it.
    var nominalFrameRate: Int? { get }

    /// Whether there is a picture to show. Updated by `withNextSample`.
    var condition: SourceCondition { get }

    /// True while the screen is locked or its screen saver runs; viewers get the slate and silence. Updated by
    /// `withNextSample`.
    var isLocked: Bool { get }

    /// Calls `body` once with the changes since the last call, or with nil if nothing changed, and returns its result.
    /// Never waits for a change. A sample with `isRefresh` is no change, but a second look at pixels in which no change
    /// was reported.
    ///
    /// The source lends the pixels to `body`, which must not call `withNextSample`, `rest` or `prepare` of the same
    /// source. `condition`, `isLocked` and `size` are already those of the sample.
    ///
    /// - Parameter now: the session's time.
    func withNextSample<Result>(at now: MediaTime, _ body: (CapturedSample?) -> Result) throws(CaptureError) -> Result

    /// True if `waitForChange` waits.
    var canWaitForChange: Bool { get }

    /// Blocks until the picture may have changed, or until `deadline`, or until `wake` is signalled. Returns true if
    /// the picture may have changed.
    ///
    /// - Parameter deadline: `CLOCK_MONOTONIC` in nanoseconds.
    func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool

    /// Makes the next sample the whole picture, for a destination that has no previous picture.
    func requestWholePicture()

    /// Returns the active application if it or its title changed since the last call, otherwise nil.
    func takeApplicationChange() -> ApplicationInformation?

    /// Processes events during a tick in which nothing may be shown: for example, the display closed, or another
    /// program stopped capturing.
    ///
    /// - Parameter now: the session's time.
    func rest(at now: MediaTime) throws(CaptureError)

    /// The time that the source needs to show something after a pause. It is added to the pause.
    var resumeDelay: MediaTime { get }

    /// Prepares the first picture after a pause, in the ticks of `resumeDelay`. Nothing of it may be shown yet.
    ///
    /// - Parameter now: the session's time.
    func prepare(at now: MediaTime) throws(CaptureError)

    /// Receives at each tick whether the desktop reports that the screen is locked. A source whose capture ends with
    /// the lock can begin again after it.
    func noteDesktopLock(_ isLocked: Bool)

    /// The next notice that was not taken yet, or nil.
    func takeNotice() -> SourceNotice?
}

/// Whether a source has a picture to show.
package enum SourceCondition: Sendable, Equatable {
    case shown
    /// There is currently no picture that may be shown: a minimised window, or a locked screen. Viewers get the slate.
    case withheld
    /// No more pictures follow: a file was read completely, or a window was closed.
    case ended
}

extension ScreenSource {
    package var canWaitForChange: Bool { false }
    package func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool { false }
    package var condition: SourceCondition { .shown }
    package var isLocked: Bool { false }
    package var nominalFrameRate: Int? { nil }
    package func takeApplicationChange() -> ApplicationInformation? { nil }
    package func rest(at now: MediaTime) throws(CaptureError) {}
    package var resumeDelay: MediaTime { .zero }
    package func prepare(at now: MediaTime) throws(CaptureError) { try rest(at: now) }
    package func noteDesktopLock(_ isLocked: Bool) {}
    package func takeNotice() -> SourceNotice? { nil }
}

/// What a source can use while it opens, which takes minutes if the user has to choose something in a dialog.
package struct SourceOpening: Sendable {
    /// True once the caller no longer wants the source. The opening throws soon then.
    package var isCancelled: @Sendable () -> Bool
    /// Reports a notice at once, on the opening thread. It must not block.
    package var notify: @Sendable (SourceNotice) -> Void

    package init(
        isCancelled: @escaping @Sendable () -> Bool = { false },
        notify: @escaping @Sendable (SourceNotice) -> Void = { _ in }
    ) {
        self.isCancelled = isCancelled
        self.notify = notify
    }
}
