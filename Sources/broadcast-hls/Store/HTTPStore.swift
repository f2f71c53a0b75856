import AsyncHTTPClient
import HLS
import NIOCore
import NIOHTTP1

/// An HTTP server that takes PUT and DELETE: nginx with WebDAV, an object store, YouTube's ingest.
struct HTTPStore: SegmentStore {
    /// What one request may take; a segment is a few megabytes.
    private static let deadline = TimeAmount.seconds(20)

    private let address: HTTPAddress
    /// What the Authorization header says; nil where nobody is to be signed in.
    private let authorization: String?
    /// How long a cache may keep a playlist, seconds.
    private let playlistLifetime: Int
    private let client: HTTPClient

    init(address: HTTPAddress, authorization: String?, playlistLifetime: Int) {
        self.address = address
        self.authorization = authorization
        self.playlistLifetime = playlistLifetime
        // A redirect would take the credentials elsewhere, and turn some PUTs into GETs: it is told instead.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5), read: Self.deadline, write: Self.deadline))
        configuration.httpVersion = .http1Only
        // The uploader tries again itself, and says meanwhile what is wrong.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    var name: String { "the server at \(address.host)" }

    func put(_ object: StoredObject) async throws(StoreError) {
        var headers = HTTPHeaders([("Content-Type", object.contentType)])
        headers.add(name: "Cache-Control", value: object.kind == .playlist ? "max-age=\(playlistLifetime)" : "max-age=86400, immutable")
        try await send(.PUT, object.name, headers: headers, body: object.bytes)
    }

    /// Some ingests keep house themselves and take no DELETE: so it is not done again.
    func delete(_ name: String) async throws(StoreError) {
        try await send(.DELETE, name, headers: [:], body: nil)
    }

    func shutDown() async {
        // Nothing is under way any more, so nothing can fail that anybody waits for.
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
            // Read to its end, so that the connection can be used again; an answer is short.
            _ = try? await response.body.collect(upTo: 1 << 20)
        } catch {
            throw StoreError(reaching: address.host, error)
        }
        if let failure = Self.failure(status, method: method, host: address.host) { throw failure }
    }

    /// What a status means; nil for success. Nothing of the server's own words, which may repeat a key.
    static func failure(_ status: HTTPResponseStatus, method: HTTPMethod, host: String) -> StoreError? {
        switch status.code {
        case 200..<300: nil
        case 401, 403: .refused(code: Int(status.code), "\(host) refused the upload (\(status.code)): check user and password, token or key")
        case 408, 425, 429, 500...: .unavailable("the server at \(host) answered \(status.code)")
        case 300..<400: .refused(code: Int(status.code), "\(host) sends uploads elsewhere (\(status.code)): use the address that it redirects to")
        case 405: .refused(code: 405, "\(host) takes no \(method.rawValue) at that address (405)")
        default: .refused(code: Int(status.code), "\(host) does not take the upload (\(status.code)): check the address")
        }
    }
}
