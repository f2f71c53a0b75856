import Capture
import ContentCapture
import X11Capture

/// The source of a session's pictures, as a value. The thread that uses the source opens it.
package enum PictureRequest: Sendable {
    case screen(ScreenRequest)
    /// A YUV4MPEG2 file or pipe; `-` is standard input.
    case y4m(path: String)
    /// The pictures of the application that runs the session.
    case feed(PictureFeed)
    /// A source of the caller. The closure runs on the capture thread.
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

    /// True if the source is a file or a pipe, which has its own frame rate.
    var isFile: Bool {
        if case .y4m = self { true } else { false }
    }
}
