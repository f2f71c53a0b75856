import Concurrency
import Media
import Processes
import RTMP

/// The description of a destination before it starts: its name, its requirements, and how to make its handler.
package struct DestinationPlan: Sendable {
    /// The name that the user gave it.
    package var name: String
    package var kind: DestinationKind
    /// The address without secrets; nil for a destination without an address.
    package var url: String?
    /// The path of the file that it writes; nil if it writes none.
    package var path: String?
    /// Where it sends, to find a second destination with the same far end; nil for a destination without an address.
    package var address: DestinationAddress?
    package var delivery: Delivery
    package var media: MediaRequirements
    /// True if a first connection that fails because of the network is retried until it succeeds.
    package var waitsForNetwork = false
    /// How its picture differs from the session's.
    package var picture = PictureRequirements()
    /// The annotations about the active application that it receives.
    package var applicationDetail = ApplicationDetail.full
    /// The limits of the service. They apply to settings that the user did not choose.
    package var limits = PictureLimits()
    /// Called once when the destination is over, before that is reported. It can be called on any thread.
    package var whenOver: @Sendable () -> Void = {}
    /// Performs the handshakes with its server, without sending anything; nil if only a broadcast can find out whether
    /// the destination works.
    package var examination: (@Sendable () async throws(RTMPError) -> RTMPExamination)?
    /// Where the line can be tested without going live; nil if the destination has no such place.
    package var lineTest: LineTest?
    /// Makes a handler. Each connection has a new one.
    package var makeHandler: @Sendable () -> any SampleHandler

    package init(
        name: String, kind: DestinationKind, url: String? = nil, path: String? = nil, delivery: Delivery,
        media: MediaRequirements = .init(),
        makeHandler: @escaping @Sendable () -> any SampleHandler
    ) {
        self.name = name
        self.kind = kind
        self.url = url
        self.path = path
        self.delivery = delivery
        self.media = media
        self.makeHandler = makeHandler
    }

    /// Adds a number to the name if it is in use: `rtmp`, `rtmp-2`, `rtmp-3`.
    package mutating func makeNameUnique(isTaken: (String) -> Bool) {
        guard isTaken(name) else { return }
        var number = 2
        while isTaken("\(name)-\(number)") { number += 1 }
        name += "-\(number)"
    }

    /// True for a live destination: it receives only new packets, starting with a keyframe, and the slate during a
    /// pause.
    package var isLive: Bool {
        if case .live = delivery { true } else { false }
    }
}

/// The far end of a destination, with its secrets. Two broadcasts to the same far end disturb each other. A description
/// or a dump shows nothing of it.
package struct DestinationAddress: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let parts: [String]

    /// A stream on an RTMP server.
    package init(_ url: RTMPURL) {
        parts = ["rtmp", url.scheme.rawValue, url.host.lowercased(), "\(url.port)", url.app, url.streamKey]
    }

    /// What an extension with these answers sends to; nil if none of them is an address.
    package init?(_ manifest: ExtensionManifest, setup: [String: String]) {
        guard var url = setup["url"] else { return nil }
        // `hls:/srv/www` on the command line is the answer `/srv/www`.
        if let colon = url.firstIndex(of: ":"), manifest.schemes.contains(url[..<colon].lowercased()),
            !url[colon...].hasPrefix("://")
        {
            url = String(url[url.index(after: colon)...])
        }
        let others = setup.filter { $0.key != "url" }.sorted { $0.key < $1.key }
        parts = [manifest.name, url] + others.flatMap { [$0.key, $0.value] }
    }

    /// A number for the address, the same in every process: FNV-1a with 64 bits, folded to 32, so that it does not
    /// determine even a short secret.
    package var fingerprint: UInt32 {
        let hash = FNV1a.hash(parts.joined(separator: "\0").utf8)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    package var description: String { "(address)" }
    package var debugDescription: String { description }
    /// Omits the properties, so that a dump does not show them.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The kind of uploader that serves a destination.
package enum DestinationKind: Sendable, Equatable {
    case rtmp
    case file
    case stdout
    /// Nothing is sent. The session keeps the last part of the broadcast for `clip`.
    case clips
    /// An extension: a program with a manifest of this name.
    case program(String)

    /// The kinds that are part of the program.
    package static let builtIn: [DestinationKind] = [.rtmp, .file, .stdout, .clips]

    /// The kind with this name, which is an extension's unless it is built in.
    package init(name: String) {
        self = Self.builtIn.first { $0.name == name } ?? .program(name)
    }

    package var isProgram: Bool { if case .program = self { true } else { false } }

    /// True if it connects to a server, or may do so.
    package var reachesServers: Bool {
        switch self {
        case .rtmp, .program: true
        case .file, .stdout, .clips: false
        }
    }

    /// True if this program itself sends to a server: at the end, viewers have what the server has accepted, so a
    /// destination that is slow can be given up without a loss for them.
    package var sendsToServer: Bool {
        switch self {
        case .rtmp: true
        case .program, .file, .stdout, .clips: false
        }
    }

    /// The name in status, configuration and messages.
    package var name: String {
        switch self {
        case .rtmp: "rtmp"
        case .file: "file"
        case .stdout: "stdout"
        case .clips: "clips"
        case .program(let name): name
        }
    }
}

/// Which packets a destination receives.
package enum Delivery: Sendable, Equatable {
    /// For viewers: packets that are too late are dropped. A lost connection is retried with this policy, or not at all
    /// if it is nil.
    case live(retry: ReconnectionPolicy?)
    /// For files: all packets from the beginning, without paused intervals.
    case recording
}

/// The annotations about the active application that a destination receives.
package enum ApplicationDetail: String, CaseIterable, Sendable {
    case none
    /// The class and the name of the application.
    case windowClass = "class"
    /// The class, the name and the title of the window. Titles can be private, such as the subject of a mail.
    case full
}
