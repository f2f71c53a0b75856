import Media

/// A notice for the user about a source that continues.
package enum SourceNotice: Sendable, Equatable {
    /// The region reaches beyond the screen and is cut.
    case regionCut(PixelRect, to: PixelRect, screen: PixelSize)
    /// The monitor was unplugged or turned off. Viewers get the slate until it is back.
    case monitorGone(String)
    /// The shared monitor of a Wayland desktop was unplugged or turned off. Viewers get the slate until it is back, for
    /// this time at most.
    case sharedMonitorGone(String, timeout: MediaTime)
    /// The shared monitor of this name did not return in time. The session ends.
    case sharedMonitorMissing(String)
    /// The screen became smaller, and the captured area is outside it. Viewers get the slate until the area is visible
    /// again.
    case outsideScreen
    /// The source shrank to this size, which is no picture. Viewers get the slate until it is larger.
    case tooSmall(PixelSize)
    /// The window is minimised or unmapped. Viewers get the slate until it is shown again. The window's title or class.
    case windowUnmapped(String)
    /// The captured window was closed. The session ends. The window's title or class.
    case windowClosed(String)
    /// The captured window was closed. Viewers get the slate until one window matches the rule by which it was
    /// selected, for this time at most. The window's title or class.
    case windowGone(String, rule: String, timeout: MediaTime)
    /// No window, or several, matched the rule in time. The session ends.
    case windowMissing(rule: String)
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
    /// The desktop shows a dialog in which the user chooses what to share.
    case chooseInDialog
    /// The choice cannot be remembered, because this file cannot be written.
    case cannotRemember(path: String)
    /// The desktop shares the screen and has sent no picture yet.
    case noPictureYet
    /// Pictures stopped, because PipeWire's session manager or the compositor paused the stream. Viewers get the slate.
    case sharingInterrupted
    /// A rule hides windows, which a monitor of a Wayland desktop would show. Viewers get the slate until the rules are
    /// removed.
    case cannotHideWindows
    /// The sharing was ended in the desktop, or the shared window or monitor is gone or has changed. The session ends.
    case endedByDesktop

    /// True if it says why the source has ended.
    package var endsSource: Bool {
        switch self {
        case .windowClosed, .windowMissing, .sharedMonitorMissing, .endedByDesktop: true
        default: false
        }
    }
}
