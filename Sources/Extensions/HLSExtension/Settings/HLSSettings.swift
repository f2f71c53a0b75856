import BroadcastExtension
import FoundationEssentials
import HLS
import Media
import TLS

/// The settings of the extension. An error names the key, but never a value that can be secret.
package struct HLSSettings {
    package enum Place: Equatable {
        /// An absolute path.
        case folder(String)
        case server(HTTPAddress)
    }

    package var place: Place
    /// True to create all missing folders of the place's path, and not only the last one.
    package var createsParents = false
    /// The file name of the playlist.
    package var playlist: String
    package var format: SegmentFormat
    /// The duration of a segment in seconds.
    package var segmentDuration: Double
    /// The number of segments in the playlist. 0 keeps all segments.
    package var window: Int
    /// The value of the Authorization header, or nil if the server requires none.
    package var authorization: String?
    /// The certificates to trust, a PEM file, or nil for those of the system.
    package var authoritiesFile: String?
    /// How connections to a server leave this machine.
    package var route = HLSRoute()
    /// The address at which viewers find the playlist, as text for the user.
    package var watchURL: String?

    /// Throws a `BroadcastFailure` with the code 400 or 401 if a setting is missing or invalid.
    ///
    /// - Parameters:
    ///   - setup: the answers to the manifest's questions.
    ///   - home: the path that replaces `~`.
    package init(setup: [String: String], home: String?) throws(BroadcastFailure) {
        try Self.checkSecrets(in: setup)
        let setup = setup.mapValues { $0.filter { !$0.isNewline } }.filter { !$0.value.isEmpty }
        guard var url = setup["url"] else {
            throw Self.wrong(
                "url", "a folder or an address is required: broadcast setup hls, or --to hls:/srv/www/live")
        }
        if url.lowercased().hasPrefix("hls:") { url.removeFirst(4) }
        if url.contains("{key}") {
            guard let key = setup["key"] else {
                throw BroadcastFailure(code: 401, message: "The address requires a key: broadcast setup hls")
            }
            url = url.replacing("{key}", with: key)
        }
        var name: String?
        if url.lowercased().hasPrefix("http://") || url.lowercased().hasPrefix("https://") {
            guard let address = HTTPAddress(url) else {
                throw Self.wrong("url", "this address is invalid; user and password must be set with their own keys")
            }
            place = .server(address)
            name = address.playlist
        } else {
            if url.hasPrefix("file://") { url.removeFirst(7) }
            if url.hasPrefix("~/"), let home { url = home + url.dropFirst() }
            createsParents = url.hasSuffix("/")
            while url.count > 1 && url.hasSuffix("/") { url.removeLast() }
            // The host has made the path of a folder absolute.
            guard url.hasPrefix("/") else {
                throw Self.wrong("url", "give a folder, or an address that starts with http:// or https://")
            }
            let last = url.split(separator: "/").last ?? ""
            if last.hasSuffix(".m3u8") {
                name = String(last)
                url.removeLast(last.count + 1)
            }
            place = .folder(url)
        }
        playlist = name ?? "live.m3u8"
        segmentDuration = try Self.number("segment", in: setup, range: 1...30, standard: 4)
        window = Int(try Self.number("window", in: setup, range: 0...10_000, standard: 6))
        guard window == 0 || window >= 3 else {
            throw Self.wrong("window", "use at least 3 segments, which players need, or 0 to keep all")
        }
        guard let format = SegmentFormat(rawValue: setup["format"] ?? "ts") else {
            throw Self.wrong("format", "this is ts or fmp4")
        }
        self.format = format
        if let token = setup["token"] {
            authorization = "Bearer \(token)"
        } else if let user = setup["user"] {
            authorization = "Basic " + Data("\(user):\(setup["password"] ?? "")".utf8).base64EncodedString()
        }
        watchURL = setup["watch-url"]
        authoritiesFile = try Self.authoritiesFile(in: setup, place: place, home: home)
        if case .server = place { route = try HLSRoute(setup: setup) }
    }

    private static func authoritiesFile(
        in setup: [String: String], place: Place, home: String?
    ) throws(BroadcastFailure) -> String? {
        guard var path = setup["ca-file"] else { return nil }
        guard case .server(let address) = place, address.isSecure else {
            throw wrong("ca-file", "this is only for addresses that start with https://")
        }
        if path.hasPrefix("~/"), let home { path = home + path.dropFirst() }
        guard path.hasPrefix("/") else { throw wrong("ca-file", "this must be an absolute path") }
        do throws(CertificateFileProblem) {
            _ = try TLSContext(authoritiesFile: path)
            return path
        } catch {
            throw wrong(
                "ca-file",
                error == .noCertificate ? "\(path) has no certificates in PEM format" : "\(path) cannot be read")
        }
    }

    private static func number(
        _ key: String, in setup: [String: String], range: ClosedRange<Double>, standard: Double
    ) throws(BroadcastFailure) -> Double {
        guard let text = setup[key] else { return standard }
        guard let number = Double(text), range.contains(number) else {
            throw wrong(key, "this must be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return number
    }

    private static func wrong(_ key: String, _ problem: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "\(key): \(problem)")
    }
}
