/// The start or the end of a pause, as an element of the stream. It precedes the first packet that it concerns.
package enum PauseMark: Sendable, Equatable {
    case paused(at: MediaTime)
    case resumed(at: MediaTime)

    /// The presentation time from which on it applies.
    package var time: MediaTime {
        switch self {
        case .paused(let time), .resumed(let time): time
        }
    }

    /// The element of a queue that carries it.
    package var element: PacketQueue.Element {
        switch self {
        case .paused(let time): .paused(at: time)
        case .resumed(let time): .resumed(at: time)
        }
    }
}
