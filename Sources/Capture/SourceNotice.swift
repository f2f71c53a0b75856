import Media

/// A notice for the user about a source that continues.
package enum SourceNotice: Sendable, Equatable {
    /// The region reaches beyond the screen and is cut.
    case regionCut(PixelRect, to: PixelRect, screen: PixelSize)
    /// The monitor was unplugged or turned off. Viewers get the slate until it is back.
    case monitorGone(String)
    /// The screen became smaller, and the captured area is outside it. Viewers get the slate until the area is visible
    /// again.
    case outsideScreen
    /// The window is minimised or unmapped. Viewers get the slate until it is shown again. The window's title or class.
    case windowUnmapped(String)
    /// The captured window is hidden by a rule. Viewers get the slate until the rule is removed.
    case windowHidden
    /// No window matches these rules, which hide windows, when the source starts.
    case rulesWithoutWindow([String])
    /// The windows of these `id:` rules were destroyed, so the rules ended.
    case rulesEnded([String])
    /// The X server shares no memory with this process, as over a network: capture is slower.
    case noSharedMemory
    /// Frames of a file or pipe are dropped because the machine is too slow; its path.
    case framesLost(String)
}
