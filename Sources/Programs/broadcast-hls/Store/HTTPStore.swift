import AsyncHTTPClient
import HLS
import NIOCore
import NIOHTTP1
import NIOSSL
import TLS

/// An HTTP server that accepts PUT and DELETE: nginx with WebDAV, an object store, YouTube's ingest.
package struct HTTPStore: SegmentStore {
    /// The time limit of an upload. A segment has a few megabytes.
    private static let deadline = TimeAmount.seconds(20)
    /// The time limit of a request without a body, with its answer.
    private static let shortDeadline = TimeAmount.seconds(3)
    /// The maximum size in bytes of a playlist. An EVENT playlist of a day has about 3 MB.
    private static let longestPlaylist = 16 << 20
    /// What is read of an answer that is not used, so that the connection can be used again: its size in bytes, and the
    /// time.
    private static let longestRest = 4 << 10
    private static let restDeadline = TimeAmount.seconds(1)

    private let address: HTTPAddress
    /// The value of the Authorization header, or nil without authentication.
    private let authorization: String?
    /// The time in seconds for which a cache can keep a playlist.
    private let playlistLifetime: Int
    private let client: HTTPClient
    private let localAddress: String?

    /// - Parameter authorities: the certificates to trust, or nil for those of the system.
    package init(
        address: HTTPAddress, authorization: String?, authorities: [NIOSSLCertificate]?, route: HLSRoute,
        playlistLifetime: Int
    ) {
        self.address = address
        self.authorization = authorization
        self.playlistLifetime = playlistLifetime
        // A redirect would send the credentials to another server and turn some PUT requests into GET requests. It is
        // reported instead.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(5), read: Self.deadline, write: Self.deadline))
        configuration.httpVersion = .http1Only
        configuration.proxy = route.proxy
        configuration.localAddress = route.localAddress
        localAddress = route.localAddress
        if address.isSecure {
            configuration.tlsConfiguration = TLSTrust(authorities: authorities).configuration
            // The client calls this when a connection is ready, before it sends a request.
            configuration.http1_1ConnectionDebugInitializer = { [host = address.hostName] in
                Self.requireIdentity(host, of: $0)
            }
        }
        // The uploader retries itself and reports the problem in the meantime.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private static func requireIdentity(_ host: String, of channel: any Channel) -> EventLoopFuture<Void> {
        channel.nioSSL_peerCertificate().flatMap { certificate in
            guard let problem = TLSTrust.problem(of: certificate, host: host) else {
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            return channel.close().flatMapErrorThrowing { _ in }.flatMapThrowing { throw problem }
        }
    }

    package var name: String { "the server at \(address.host)" }

    package func put(_ object: StoredObject) async throws(StoreError) {
        var headers = HTTPHeaders([("Content-Type", object.contentType)])
        headers.add(
            name: "Cache-Control",
            value: object.kind == .playlist ? "max-age=\(playlistLifetime)" : "max-age=86400, immutable")
        try await send(.PUT, object.name, headers: headers, body: object.bytes, timeout: Self.deadline)
    }

    package func playlist(named name: String) async -> String? {
        let deadline = NIODeadline.now() + Self.shortDeadline
        guard let response = try? await answer(.GET, name, headers: [:], body: nil, deadline: deadline) else {
            return nil
        }
        return await Self.body(of: response, upTo: Self.longestPlaylist, deadline: deadline).map { String(buffer: $0) }
    }

    /// Deletes an object. Some ingests delete objects themselves and reject DELETE.
    package func delete(_ name: String) async throws(StoreError) {
        do {
            try await send(.DELETE, name, headers: [:], body: nil, timeout: Self.shortDeadline)
        } catch .refused(404, _), .refused(410, _) {
            // It does not exist.
        }
    }

    package func shutDown() async {
        // No request is active any more, so an error has no consequence.
        try? await client.shutdown()
    }

    /// Performs a request whose answer has no content that matters.
    private func send(_ method: HTTPMethod, _ name: String, headers: HTTPHeaders, body: [UInt8]?, timeout: TimeAmount)
        async throws(StoreError)
    {
        let response = try await answer(method, name, headers: headers, body: body, deadline: .now() + timeout)
        // If the rest is long or slow, the connection is closed instead.
        _ = await Self.body(of: response, upTo: Self.longestRest, deadline: .now() + Self.restDeadline)
    }

    /// Returns the answer to a request once its head has arrived. Throws if it is not a success.
    private func answer(
        _ method: HTTPMethod, _ name: String, headers: HTTPHeaders, body: [UInt8]?, deadline: NIODeadline
    ) async throws(StoreError) -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address.url(of: name))
        request.method = method
        request.headers = headers
        request.headers.add(name: "User-Agent", value: "broadcast-hls")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response: HTTPClientResponse
        do {
            response = try await client.execute(request, deadline: deadline)
        } catch {
            throw StoreError(reaching: address.host, from: localAddress, error)
        }
        let schemes = response.headers["WWW-Authenticate"].map { $0.prefix { $0 != " " }.lowercased() }
        if let failure = Self.failure(
            Int(response.status.code), method: method.rawValue, host: address.host, schemes: schemes)
        {
            throw failure
        }
        return response
    }

    /// Returns the body of an answer; nil if it is longer than `limit` bytes, or does not arrive completely before
    /// `deadline`. The connection is closed then.
    private static func body(of response: HTTPClientResponse, upTo limit: Int, deadline: NIODeadline) async
        -> ByteBuffer?
    {
        await withTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask { try? await response.body.collect(upTo: limit) }
            group.addTask {
                try? await Task.sleep(for: .nanoseconds(max(0, (deadline - NIODeadline.now()).nanoseconds)))
                return nil
            }
            let first = await group.next() ?? nil
            // A body that is not read to its end ends the request.
            group.cancelAll()
            return first
        }
    }

    /// Returns the error for a status, or nil for success. It does not contain the server's text, because that can
    /// repeat a key.
    ///
    /// - Parameter schemes: the authentication schemes that the server offers, in lower case.
    package static func failure(_ status: Int, method: String, host: String, schemes: [String] = []) -> StoreError? {
        switch status {
        case 200..<300: nil
        case 401 where !schemes.isEmpty && !schemes.contains("basic") && !schemes.contains("bearer"):
            .refused(
                code: 401,
                "\(host) requires \(schemes[0].filter { $0.isLetter || $0.isNumber || $0 == "-" }.prefix(20).capitalized) authentication, "
                    + "which this program does not support: configure Basic or Bearer authentication on the server")
        case 401, 403:
            .refused(code: status, "\(host) refused the upload (\(status)): check user and password, token or key")
        case 408, 425, 429, 500...: .unavailable("the server at \(host) answered \(status)")
        case 300..<400:
            .refused(
                code: status,
                "\(host) redirects uploads (\(status)): use the address that it redirects to")
        case 405: .refused(code: 405, "\(host) does not accept \(method) at that address (405)")
        default: .refused(code: status, "\(host) rejected the upload (\(status)): check the address")
        }
    }
}
