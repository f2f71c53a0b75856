import Capture
import ContentCapture
import X11Capture

/// Which pictures a session asks for. A value: it is opened on the thread that will own the source.
package enum PictureRequest: Sendable {
    case screen(ScreenRequest)
    /// A YUV4MPEG2 file or pipe; `-` is standard input.
    case y4m(path: String)
    /// What the application that runs the session hands over.
    case feed(PictureFeed)
    /// A source of the host's own, opened on the capture thread.
    case custom(@Sendable () throws(CaptureError) -> any ScreenSource)
}

extension PictureRequest {
    /// Opens the source on the calling thread.
    ///
    /// - Parameter content: the timeline that a file's pictures share with the session's sound.
    package func open(content: ContentClock = ContentClock(hasPictures: true)) throws(CaptureError) -> any ScreenSource {
        switch self {
        case .screen(let request): try X11ScreenSource(request)
        case .y4m(let path): try Y4MSource(path: path, content: content)
        case .feed(let feed): FeedSource(feed)
        case .custom(let open): try open()
        }
    }

    /// True if the pictures come from a file or pipe, at their own rate.
    var isFile: Bool {
        if case .y4m = self { true } else { false }
    }
}
