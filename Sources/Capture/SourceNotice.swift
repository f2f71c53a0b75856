import Media

/// Something that the user should know about a source that goes on.
package enum SourceNotice: Sendable, Equatable {
    /// The region reaches beyond the screen and is cut.
    case regionCut(PixelRect, to: PixelRect, screen: PixelSize)
    /// The monitor was unplugged or turned off. Viewers get the slate until it is back.
    case monitorGone(String)
    /// The screen has shrunk, and what is captured lies outside it. Viewers get the slate until it fits again.
    case outsideScreen
    /// The window is minimised or unmapped. Viewers get the slate until it is shown again. The window's title or class.
    case windowUnmapped(String)
    /// The captured window is hidden by a rule. Viewers get the slate until the rule is removed.
    case windowHidden
    /// The X server shares no memory with this process, as over a network: capture is slower.
    case noSharedMemory
    /// Frames of a file or pipe are left out because the machine is too busy; its path.
    case framesLost(String)
}
