import Media

/// Where pictures come from. One thread makes it, asks it and closes it.
package protocol ScreenSource: AnyObject {
    /// What it shows, for people and scripts.
    var description: SourceDescription { get }

    /// The size of the pictures now, in pixels; it can change between two of them.
    var size: PixelSize { get }

    /// Frames a second that it has by itself; nil where it goes by whoever asks.
    var nominalFrameRate: Int? { get }

    /// Whether there is anything that may be shown; as of the last `nextSample`.
    var condition: SourceCondition { get }

    /// Nobody is at the screen, or nobody may be: viewers get the slate, and hear nothing; as of the last `nextSample`.
    var isLocked: Bool { get }

    /// What changed since the last call, or nil where nothing did. It never waits for a change.
    ///
    /// The patches' memory is the source's own and holds until the next call.
    ///
    /// - Parameter now: the session's time.
    func nextSample(at now: MediaTime) throws(CaptureError) -> SampleBuffer?

    /// The next sample is to be the whole picture: someone has joined who saw nothing before.
    func requestWholePicture()

    /// The application in front, where it or its title is another one than at the last call.
    func takeApplicationChange() -> ApplicationInformation?

    /// Hears what has happened in a tick in which nothing may be shown: that the display has gone, or another program stopped capturing.
    func rest() throws(CaptureError)

    /// The next notice that was not taken yet, or nil.
    func takeNotice() -> SourceNotice?
}

/// Whether a source has a picture to show.
package enum SourceCondition: Sendable, Equatable {
    case shown
    /// There is nothing that may be seen for now: a window that is minimised, a locked screen. Viewers get the slate.
    case withheld
    /// Nothing more comes: a file that was read to its end, a window that was closed.
    case ended
}

extension ScreenSource {
    package var condition: SourceCondition { .shown }
    package var isLocked: Bool { false }
    package var nominalFrameRate: Int? { nil }
    package func takeApplicationChange() -> ApplicationInformation? { nil }
    package func rest() throws(CaptureError) {}
    package func takeNotice() -> SourceNotice? { nil }
}
