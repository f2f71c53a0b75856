import RTMP
import Session
import Upload

/// Where a broadcast goes.
public struct BroadcastDestination: Sendable {
    let plan: DestinationPlan

    /// A file, in the format of its ending: `.mp4`, `.flv`, `.ts`, `.h264` or `.y4m`; MP4 where that says nothing.
    ///
    /// An MP4 plays also where the program was killed. An older file of the same name is kept as `NAME~`.
    public static func file(_ path: String) -> BroadcastDestination {
        let format = ContainerFormat(ending: path) ?? .mp4
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return BroadcastDestination(
            plan: DestinationPlan(
                name: name, extensionName: "file", path: path, isLive: false, prefersConstantPacing: false, takesRawVideo: format.takesRawVideo,
                audioTracks: format.takesAudio ? [.mixed] : [], makeHandler: { FileHandler(path: path, format: format) }))
    }

    /// An RTMP or RTMPS server: `rtmp://HOST[:PORT]/APP` with its stream key, or with the key as the last part of the address.
    ///
    /// A connection that is lost is made again, with waits of 2 s and more between the tries.
    ///
    /// - Throws: where the address is none.
    public static func rtmp(_ address: String, key: String? = nil) throws(BroadcastFailure) -> BroadcastDestination {
        let url: RTMPURL
        do throws(RTMPURLError) {
            url = try RTMPURL(address, streamKey: key)
        } catch {
            throw BroadcastFailure(code: 400, message: error.description)
        }
        return BroadcastDestination(
            plan: DestinationPlan(
                name: url.host, extensionName: "rtmp", url: "\(url)", isLive: true, prefersConstantPacing: true, retry: RetryPolicy(),
                makeHandler: { RTMPHandler(url: url) }))
    }
}

/// Why a broadcast, or one of its destinations, could not go on.
public struct BroadcastFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// In the manner of HTTP's: 401 is "not logged in".
    public let code: Int
    /// A sentence with the next step.
    public let message: String

    public var description: String { message }
}

/// How one destination ended.
public struct DestinationResult: Sendable, Equatable {
    /// The file's or the server's name.
    public let name: String
    /// The file that was written, if it is one.
    public let path: String?
    /// Bytes written or sent.
    public let byteCount: Int
    /// Frames that were dropped because it was too slow.
    public let droppedFrames: Int
    /// Nil where it ended as asked.
    public let failure: BroadcastFailure?

    init(_ destination: SessionSnapshot.Destination) {
        name = destination.name
        path = destination.path
        byteCount = destination.byteCount
        droppedFrames = destination.dropped
        failure = destination.error.map { BroadcastFailure(code: $0.code, message: $0.description) }
    }
}

extension BroadcastController.Event {
    /// The results that it carries.
    var results: [DestinationResult] {
        if case .stopped(let results) = self { results } else { [] }
    }
}
