import AsyncHTTPClient
import HLS
import NIOCore
import NIOHTTP1

/// An HTTP server that accepts PUT and DELETE: nginx with WebDAV, an object store, YouTube's ingest.
struct HTTPStore: SegmentStore {
    /// The time limit of one request. A segment has a few megabytes.
    private static let deadline = TimeAmount.seconds(20)

    private let address: HTTPAddress
    /// The value of the Authorization header, or nil without authentication.
    private let authorization: String?
    /// The time in seconds for which a cache can keep a playlist.
    private let playlistLifetime: Int
    private let client: HTTPClient

    init(address: HTTPAddress, authorization: String?, playlistLifetime: Int) {
        self.address = address
        self.authorization = authorization
        self.playlistLifetime = playlistLifetime
        // A redirect would send the credentials to another server and turn some PUT requests into GET requests. It is
        // reported instead.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5), read: Self.deadline, write: Self.deadline))
        configuration.httpVersion = .http1Only
        // The uploader retries itself and reports the problem in the meantime.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    var name: String { "the server at \(address.host)" }

    func put(_ object: StoredObject) async throws(StoreError) {
        var headers = HTTPHeaders([("Content-Type", object.contentType)])
        headers.add(name: "Cache-Control", value: object.kind == .playlist ? "max-age=\(playlistLifetime)" : "max-age=86400, immutable")
        try await send(.PUT, object.name, headers: headers, body: object.bytes)
    }

    /// Deletes an object. The uploader does not retry, because some ingests delete objects themselves and reject
    /// DELETE.
    func delete(_ name: String) async throws(StoreError) {
        try await send(.DELETE, name, headers: [:], body: nil)
    }

    func shutDown() async {
        // No request is active any more, so an error has no consequence.
        try? await client.shutdown()
    }

    private func send(_ method: HTTPMethod, _ name: String, headers: HTTPHeaders, body: [UInt8]?) async throws(StoreError) {
        var request = HTTPClientRequest(url: address.url(of: name))
        request.method = method
        request.headers = headers
        request.headers.add(name: "User-Agent", value: "broadcast-hls")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let status: HTTPResponseStatus
        do {
            let response = try await client.execute(request, timeout: Self.deadline)
            status = response.status
            // Read the whole body, so that the connection can be used again. An answer is short.
            _ = try? await response.body.collect(upTo: 1 << 20)
        } catch {
            throw StoreError(reaching: address.host, error)
        }
        if let failure = Self.failure(status, method: method, host: address.host) { throw failure }
    }

    /// Returns the error for a status, or nil for success. It does not contain the server's text, because that can
    /// repeat a key.
    static func failure(_ status: HTTPResponseStatus, method: HTTPMethod, host: String) -> StoreError? {
        switch status.code {
        case 200..<300: nil
        case 401, 403: .refused(code: Int(status.code), "\(host) refused the upload (\(status.code)): check user and password, token or key")
        case 408, 425, 429, 500...: .unavailable("the server at \(host) answered \(status.code)")
        case 300..<400:
            .refused(
                code: Int(status.code),
                "\(host) redirects uploads (\(status.code)): use the address that it redirects to")
        case 405: .refused(code: 405, "\(host) does not accept \(method.rawValue) at that address (405)")
        default: .refused(code: Int(status.code), "\(host) rejected the upload (\(status.code)): check the address")
        }
    }
}
