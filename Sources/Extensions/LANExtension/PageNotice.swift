import FoundationEssentials

/// A message to a page that is not part of the stream, as JSON.
package enum PageNotice {
    case viewers(Int)
    /// The name of the socket for the page's offers of WebRTC.
    case socket(String)
    /// `pause`, `resume` or `finish`.
    case event(String)
    /// The answer to a ping. `clock`: `CLOCK_MONOTONIC` of this computer in milliseconds.
    case pong(Double, clock: Double)

    private struct Form: Encodable {
        var viewers: Int?
        var socket: String?
        var event: String?
        var pong: Double?
        var clock: Double?
    }

    package var json: String {
        let form =
            switch self {
            case .viewers(let count): Form(viewers: count)
            case .socket(let id): Form(socket: id)
            case .event(let name): Form(event: name)
            case .pong(let time, let clock): Form(pong: time, clock: clock)
            }
        return String(decoding: (try? JSONEncoder().encode(form)) ?? Data(), as: UTF8.self)
    }
}

extension LiveStream.Description {
    var json: String { String(decoding: (try? JSONEncoder().encode(self)) ?? Data(), as: UTF8.self) }
}
