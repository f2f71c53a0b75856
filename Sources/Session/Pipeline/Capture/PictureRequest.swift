import Capture
import ContentCapture
import Media
import PortalCapture
import WindowPrivacy
import X11Capture

/// The source of a session's pictures, as a value. The thread that uses the source opens it.
package enum PictureRequest: Sendable {
    case screen(ScreenRequest)
    /// A monitor or a window of a Wayland desktop, which the user chooses in the desktop's dialog.
    case portal(PortalRequest)
    /// A YUV4MPEG2 file or pipe; `-` is standard input.
    case y4m(path: String)
    /// The pictures of the application that runs the session.
    case feed(PictureFeed)
    /// A source of the caller. The closure runs on the capture thread, and receives the session's rules for hidden
    /// windows, which the source applies if `hidesWindows` is true.
    case custom(hidesWindows: Bool = false, @Sendable (HiddenWindowRules) throws(CaptureError) -> any ScreenSource)
}

extension PictureRequest {
    /// Opens the source on the calling thread.
    ///
    /// - Parameters:
    ///   - rules: the windows that viewers must not see. They can change while the source runs.
    ///   - content: the timeline that a file's pictures share with the session's sound.
    ///   - opening: for a source whose opening takes until the user has chosen something.
    package func open(
        hiding rules: HiddenWindowRules, content: ContentClock = ContentClock(hasPictures: true),
        opening: SourceOpening = SourceOpening()
    ) throws(CaptureError) -> any ScreenSource {
        switch self {
        case .screen(let request): return try X11ScreenSource(request, hiding: rules)
        case .portal(var request):
            request.hiddenWindows = rules
            return try PortalScreenSource(request, opening: opening)
        case .y4m(let path): return try Y4MSource(path: path, content: content)
        case .feed(let feed): return FeedSource(feed)
        case .custom(_, let open): return try open(rules)
        }
    }

    /// True if the pictures show the desktop of this machine, false if they are those of a file or a program.
    ///
    /// For a desktop, `[video] fps` and the sound of its applications apply, notifications are held, and its lock shows
    /// the slate.
    package var isDesktop: Bool {
        switch self {
        case .screen, .portal: true
        case .y4m, .feed, .custom: false
        }
    }

    /// True if rules can hide windows from viewers, which is so if a desktop is shown.
    package var hidesWindows: Bool {
        switch self {
        case .screen, .portal: true
        case .custom(let hidesWindows, _): hidesWindows
        case .y4m, .feed: false
        }
    }

    /// True if everything that is on a part of the screen is visible, also notifications.
    package var showsWholeDesktop: Bool {
        switch self {
        case .screen(let request):
            switch request.selection {
            case .window, .matchingWindow, .activeWindow: false
            case .wholeScreen, .monitor, .focusedMonitor, .region: true
            }
        case .portal(let request): request.choice == .monitor
        case .y4m, .feed, .custom: false
        }
    }

    /// The part of the desktop that the user chose; nil for all of it.
    var region: PixelRect? {
        switch self {
        case .screen(let request): if case .region(let region) = request.selection { region } else { nil }
        case .portal(let request): request.region
        case .y4m, .feed, .custom: nil
        }
    }

    /// True if the source is a file or a pipe, which has its own frame rate.
    var isFile: Bool {
        if case .y4m = self { true } else { false }
    }
}
