import HLS
import HTTPClient
import TLS

/// An HTTP server that accepts PUT and DELETE: nginx with WebDAV, an object store, YouTube's ingest.
package struct HTTPStore: SegmentStore {
    /// The time limit of an upload. A segment has a few megabytes.
    private static let deadline = Duration.seconds(20)
    /// The time limit of a request without a body, with its answer.
    private static let shortDeadline = Duration.seconds(3)
    /// The maximum size in bytes of a playlist. An EVENT playlist of a day has about 3 MB.
    private static let longestPlaylist = 16 << 20
    /// What is read of an answer that is not used, so that the connection can be used again: its size in bytes, and the
    /// time.
    private static let longestRest = 4 << 10
    private static let restDeadline = Duration.seconds(1)

    private let address: HTTPAddress
    /// The value of the Authorization header, or nil without authentication.
    private let authorization: String?
    /// The time in seconds for which a cache can keep a playlist.
    private let playlistLifetime: Int
    /// Nil without memory.
    private let connections: HTTPConnections?
    private let localAddress: String?

    /// - Parameter authoritiesFile: the certificates to trust, a PEM file, or nil for those of the system.
    package init(
        address: HTTPAddress, authorization: String?, authoritiesFile: String?, route: HLSRoute, playlistLifetime: Int
    ) {
        self.address = address
        self.authorization = authorization
        self.playlistLifetime = playlistLifetime
        localAddress = route.localAddress
        connections = HTTPConnections(
            HTTPConnections.Settings(
                proxy: route.proxy, localAddress: route.localAddress,
                identity: address.isSecure ? ServerIdentity(address.hostName) : nil,
                authoritiesFile: authoritiesFile))
    }

    package var name: String { "the server at \(address.host)" }

    package func put(_ object: StoredObject) async throws(StoreError) {
        let lifetime = object.kind == .playlist ? "max-age=\(playlistLifetime)" : "max-age=86400, immutable"
        try await send(
            "PUT", object.name, headers: ["Content-Type: \(object.contentType)", "Cache-Control: \(lifetime)"],
            body: object.bytes, timeout: Self.deadline)
    }

    package func playlist(named name: String) async -> String? {
        let request = request("GET", name, timeout: Self.shortDeadline, longestRest: Self.longestPlaylist)
        guard let answer = try? await answer(request), answer.isComplete else { return nil }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// Deletes an object. Some ingests delete objects themselves and reject DELETE.
    package func delete(_ name: String) async throws(StoreError) {
        do {
            try await send("DELETE", name, timeout: Self.shortDeadline)
        } catch .refused(404, _), .refused(410, _) {
            // It does not exist.
        }
    }

    package func shutDown() async {
        await connections?.shutDown()
    }

    /// Performs a request whose answer has no content that matters.
    private func send(
        _ method: String, _ name: String, headers: [String] = [], body: [UInt8]? = nil, timeout: Duration
    ) async throws(StoreError) {
        var request = request(method, name, timeout: timeout, longestRest: Self.longestRest)
        request.headers += headers
        request.body = body
        // If the rest is long or slow, the connection is closed instead.
        request.restTimeout = Self.restDeadline
        _ = try await answer(request)
    }

    private func request(_ method: String, _ name: String, timeout: Duration, longestRest: Int) -> HTTPRequest {
        var headers = ["User-Agent: broadcast-hls"]
        if let authorization { headers.append("Authorization: \(authorization)") }
        return HTTPRequest(
            method: method, url: address.url(of: name), headers: headers, timeout: timeout, longestRest: longestRest,
            restTimeout: timeout)
    }

    /// Returns the answer to a request. Throws if it is not a success.
    private func answer(_ request: HTTPRequest) async throws(StoreError) -> HTTPAnswer {
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            guard let connections else { throw HTTPFailure(reason: .other) }
            answer = try await connections.perform(request)
        } catch {
            throw StoreError(reaching: address.host, from: localAddress, error)
        }
        if let failure = Self.failure(
            answer.status, method: request.method, host: address.host, schemes: answer.schemes,
            retryAfter: answer.retryAfter)
        {
            throw failure
        }
        return answer
    }

    /// Returns the error for a status, or nil for success. It does not contain the server's text, because that can
    /// repeat a key.
    ///
    /// - Parameters:
    ///   - schemes: the authentication schemes that the server offers, in lower case.
    ///   - retryAfter: the wait that it asks for.
    package static func failure(
        _ status: Int, method: String, host: String, schemes: [String] = [], retryAfter: Duration? = nil
    ) -> StoreError? {
        switch status {
        case 200..<300: nil
        case 401 where !schemes.isEmpty && !schemes.contains("basic") && !schemes.contains("bearer"):
            .refused(
                code: 401,
                "\(host) requires \(schemes[0].filter { $0.isLetter || $0.isNumber || $0 == "-" }.prefix(20).capitalized) authentication, "
                    + "which this program does not support: configure Basic or Bearer authentication on the server")
        case 401, 403:
            .refused(code: status, "\(host) refused the upload (\(status)): check user and password, token or key")
        case 408, 425, 429, 500...:
            .unavailable(
                "the server at \(host) answered \(status)"
                    + (retryAfter.map { " and asks to wait \($0.components.seconds) s" } ?? ""),
                retryAfter: retryAfter)
        case 300..<400:
            .refused(
                code: status,
                "\(host) redirects uploads (\(status)): use the address that it redirects to")
        case 405: .refused(code: 405, "\(host) does not accept \(method) at that address (405)")
        default: .refused(code: status, "\(host) rejected the upload (\(status)): check the address")
        }
    }
}
