import RTMP
import Session

/// Where a broadcast goes.
public struct BroadcastDestination: Sendable {
    enum Kind: Sendable {
        case named(String)
        case file(String)
        case rtmp(address: String, key: String?)
        case service(String, key: String)
        case `extension`(String, setup: [String: String])
    }

    let kind: Kind

    /// A destination of the user's configuration, a known service that the user signed in to, or an extension that was set up: what
    /// `broadcast start --to` takes.
    public static func destination(named name: String) -> BroadcastDestination { BroadcastDestination(kind: .named(name)) }

    /// A file, in the format of its ending: `.mp4`, `.flv`, `.ts`, `.h264` or `.y4m`; MP4 for other endings.
    ///
    /// An MP4 plays even if the program was killed. An older file of the same name is kept as `NAME~`.
    public static func file(_ path: String) -> BroadcastDestination { BroadcastDestination(kind: .file(path)) }

    /// An RTMP or RTMPS server: `rtmp://HOST[:PORT]/APP` with its stream key, or with the key as the last part of the address.
    ///
    /// A lost connection is made again, after waits of 2 s and more.
    ///
    /// - Throws: `invalidAddress`.
    public static func rtmp(_ address: String, key: String? = nil) throws(BroadcastError) -> BroadcastDestination {
        do throws(RTMPURLError) {
            _ = try RTMPURL(address, streamKey: key)
        } catch {
            throw .invalidAddress(reason: error.description)
        }
        return BroadcastDestination(kind: .rtmp(address: address, key: key))
    }

    /// A known service (`mobcrush`, `twitch`, `youtube`, …) with a stream key that the program has.
    public static func service(_ name: String, key: String) -> BroadcastDestination { BroadcastDestination(kind: .service(name, key: key)) }

    /// An extension with the answers to the questions of its manifest.
    public static func `extension`(_ name: String, setup: [String: String] = [:]) -> BroadcastDestination {
        BroadcastDestination(kind: .extension(name, setup: setup))
    }
}

/// How one destination ended.
public struct DestinationResult: Sendable, Equatable {
    public let name: String
    /// The file that was written, if it is one.
    public let path: String?
    /// Bytes written or sent.
    public let byteCount: Int
    /// Frames that were dropped because the destination was too slow.
    public let droppedFrames: Int
    /// Nil if it ended as asked.
    public let failure: BroadcastError?

    init(_ destination: SessionSnapshot.Destination) {
        name = destination.name
        path = destination.path
        byteCount = destination.byteCount
        droppedFrames = destination.dropped
        failure = destination.error.map { BroadcastError($0, destination: destination.name) }
    }
}
