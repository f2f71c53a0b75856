import Capture
import Glibc
import Media
import Processes

/// What a source waits for, and what it finds out when it opens.
extension PortalScreenSource {
    /// The waits and limits of a source. Tests shorten them.
    package struct Limits: Equatable, Sendable {
        /// For the agreement on a format, when the source opens.
        package var format = Duration.seconds(10)
        /// For the first picture, which tells the size of a window. A compositor can have nothing to send.
        package var firstPicture = Duration.seconds(1)
        /// A stream that pauses for this time by itself has a dead session manager.
        package var interruption = MediaTime(milliseconds: 1000)
        /// A PipeWire that does not answer for this time is stopped. Its last picture would remain for ever.
        package var answer = MediaTime(milliseconds: 3000)
        /// For the portal's report that the desktop ended the session, after the stream has ended.
        package var endReport = MediaTime(milliseconds: 1500)
        /// For the report that the screen is locked, which GNOME sends some hundred milliseconds after it has ended the
        /// stream. It is short, because a lock soon after the user's Stop looks the same.
        package var lockReport = MediaTime(milliseconds: 1500)
        /// How long before the end of the stream a monitor can have gone for it.
        package var outputLoss = MediaTime(milliseconds: 2000)
        /// For a monitor that returned, until it is shared again.
        package var outputReturn = MediaTime(milliseconds: 500)
        /// For the first picture of a sender whose flow cannot be restarted.
        package var lostPicture = MediaTime(milliseconds: 700)
        /// For the pictures of a monitor in another size.
        package var reshaping = MediaTime(milliseconds: 1000)
        /// Between two tries to share again after a lock.
        package var retry = MediaTime(milliseconds: 2000)
        package var tries = 5
        /// If there is no picture for this time, a notice reports it.
        package var noPicture = MediaTime(milliseconds: 3000)

        package init() {}
    }

    /// A compositor that is asked for the session's own rate sends fewer pictures, and older ones.
    static func maximumRate(_ request: PortalRequest) -> Int { max(60, request.frameRate * 2) }

    /// A PipeWire of the whole system listens in a folder of its own.
    static func isPipeWireThere(_ socket: String) -> Bool {
        let name = socket.split(separator: "/").last ?? ""
        return UnixSocket.hasListener(at: socket) || UnixSocket.hasListener(at: "/run/pipewire/\(name)")
    }

    static func frameSize(of stream: PipeWireStream, _ opening: SourceOpening, _ limits: Limits) throws(PortalProblem)
        -> PixelSize
    {
        let end = ContinuousClock.now + limits.format
        while true {
            if let size = stream.frameSize { return size }
            if let problem = stream.state.problem { throw problem }
            if opening.isCancelled() { throw .cancelled }
            guard .now < end else { throw .noSessionManager }
            usleep(2000)
        }
    }

    static func description(of request: PortalRequest) -> SourceDescription {
        if let region = request.region {
            return SourceDescription(
                kind: .region, display: request.display, name: "\(region.size)+\(region.x)+\(region.y)", isShared: true)
        }
        return SourceDescription(
            kind: request.choice == .monitor ? .monitor : .window, display: request.display, isShared: true)
    }
}

extension PipeWireStream.State {
    /// Why the stream is over; nil if it is not.
    var problem: PortalProblem? {
        switch self {
        case .connecting, .paused, .streaming: nil
        case .ended: .lost
        case .lost: .pipeWireGone
        case .failed(let text): .pipeWireFailed(text)
        case .broken: .picturesTakenAway
        }
    }
}
