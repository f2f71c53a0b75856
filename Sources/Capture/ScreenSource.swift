import Media

/// Where pictures come from. One thread makes it, asks it and closes it.
package protocol ScreenSource: AnyObject {
    /// The size of the pictures now, in pixels; it can change between two of them.
    var size: PixelSize { get }

    /// What changed since the last call, or nil where nothing did. It never waits for a change.
    ///
    /// The patches' memory is the source's own and holds until the next call.
    func nextSample() throws(CaptureError) -> SampleBuffer?

    /// The application in front, where it or its title is another one than at the last call.
    func takeApplicationChange() -> ApplicationInformation?
}

/// What of the desktop is captured.
package enum ScreenSelection: Sendable, Equatable {
    /// The whole of the X screen, all monitors side by side.
    case wholeScreen
}
