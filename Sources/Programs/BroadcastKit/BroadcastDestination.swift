import RTMP
import Session
import UserConfiguration

/// A destination of a broadcast.
public struct BroadcastDestination: Sendable {
    let described: DescribedDestination

    /// A destination by its name: one of the user's configuration, a known service that the user signed in to, or an
    /// extension that was set up. `broadcast start --to` accepts the same names.
    public static func destination(named name: String) -> BroadcastDestination {
        BroadcastDestination(described: .named(name))
    }

    /// A file, in the format of its ending: `.mp4`, `.mkv`, `.flv`, `.ts`, `.h264` or `.y4m`; MP4 for other endings.
    ///
    /// An MP4 file is playable even if the program was killed. An older file of the same name is renamed to
    /// `NAME.1.mp4`.
    public static func file(_ path: String) -> BroadcastDestination { BroadcastDestination(described: .file(path)) }

    /// An RTMP or RTMPS server: `rtmp://HOST[:PORT]/APP` with its stream key, or with the key as the last part of the
    /// address.
    ///
    /// A lost connection is retried after 2 s, and then after longer waits.
    ///
    /// - Throws: `invalidAddress`.
    public static func rtmp(_ address: String, key: String? = nil) throws(BroadcastError) -> BroadcastDestination {
        do throws(RTMPURLError) {
            _ = try RTMPURL(address, streamKey: key)
        } catch {
            throw .invalidAddress(reason: error.description)
        }
        return BroadcastDestination(described: .rtmp(address: address, key: key))
    }

    /// A known service (`mobcrush`, `twitch`, `youtube`, …) with a stream key of the program.
    public static func service(_ name: String, key: String) -> BroadcastDestination {
        BroadcastDestination(described: .service(name, key: key))
    }

    /// An extension with the answers to the questions of its manifest.
    public static func `extension`(_ name: String, setup: [String: String] = [:]) -> BroadcastDestination {
        BroadcastDestination(described: .program(name, setup: setup))
    }
}

/// The result of one destination.
public struct DestinationResult: Sendable, Equatable {
    public let name: String
    /// The path of the file that was written; nil if the destination is not a file.
    public let path: String?
    /// The number of bytes that were written or sent.
    public let byteCount: Int
    /// The number of frames that were dropped because the destination was too slow.
    public let droppedFrames: Int
    /// The error of the destination; nil if it ended normally.
    public let failure: BroadcastError?

    init(_ destination: DestinationSnapshot) {
        name = destination.name
        path = destination.path
        byteCount = destination.byteCount
        droppedFrames = destination.dropped
        failure = destination.error.map { BroadcastError($0, destination: destination.name) }
    }
}
