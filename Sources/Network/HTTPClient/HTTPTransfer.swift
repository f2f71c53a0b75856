import CCurl
import COpenSSL
import TLS

/// A request to a server.
package struct HTTPRequest: Sendable {
    package var method: String
    package var url: String
    /// Lines with a name, a colon and a value.
    package var headers: [String]
    package var body: [UInt8]?
    /// The time for the request and its answer.
    package var timeout: Duration
    /// The rest of the answer after its head: the maximum size in bytes, and the time to wait for it. An answer that
    /// exceeds them ends there.
    package var longestRest: Int
    package var restTimeout: Duration

    package init(
        method: String, url: String, headers: [String], body: [UInt8]? = nil, timeout: Duration, longestRest: Int,
        restTimeout: Duration
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.timeout, self.longestRest, self.restTimeout) = (timeout, longestRest, restTimeout)
    }
}

/// The answer to a request.
package struct HTTPAnswer: Sendable {
    package var status: Int
    /// The authentication schemes that the server offers, in lower case.
    package var schemes: [String]
    package var body: [UInt8]
    /// The address in the header Location, as the server wrote it; nil without one.
    package var location: String?
    /// The headers Link (RFC 8288).
    package var links: [String] = []
    /// The header Retry-After (RFC 9110, 10.2.3), as the time from now; nil without one.
    package var retryAfter: Duration?
    /// True if `body` is the whole content.
    package var isComplete: Bool
}

/// Why a request has no answer.
package struct HTTPFailure: Error, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The host's name, or the proxy's, has no address.
        case noAddress
        case tls(TLSProblem)
        /// errno
        case system(Int32)
        /// No connection in time.
        case noAnswer
        case noAnswerInTLS
        /// Not completed in time.
        case tooSlow
        case closed
        case cancelled
        case other
    }

    package var reason: Reason

    package init(reason: Reason) {
        self.reason = reason
    }
}

/// One request in libcurl.
// @unchecked: after `init`, only the thread of its `HTTPConnections` uses what changes.
final class HTTPTransfer: @unchecked Sendable {
    /// In milliseconds, with the TLS handshake.
    private static let connectTimeout = 5_000
    /// The maximum size of the heads of an answer in bytes. libcurl before 8.3 has no limit.
    private static let longestHead = 128 << 10

    /// The handle of libcurl. It contains a pointer to this object.
    let easy: UnsafeMutableRawPointer
    private let request: HTTPRequest
    private let identity: ServerIdentity?
    private let completed: @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var answer = HTTPAnswer(status: 0, schemes: [], body: [], location: nil, isComplete: false)
    /// The bytes of the heads so far.
    private var headSize = 0
    /// When the head of the answer had arrived.
    private var headTime: ContinuousClock.Instant?

    /// Returns nil without memory.
    ///
    /// - Parameter completed: is called once, on the thread that owns the transfer.
    init?(
        _ request: HTTPRequest, _ settings: HTTPConnections.Settings,
        completed: @escaping @Sendable (Result<HTTPAnswer, HTTPFailure>) -> Void
    ) {
        guard let easy = ccurl_easy_init() else { return nil }
        (self.easy, self.request, self.completed) = (easy, request, completed)
        identity = settings.identity
        errorText.pointee = 0
        guard configure(settings) else { return nil }
    }

    deinit {
        ccurl_easy_cleanup(easy)
        ccurl_slist_free_all(headers)
        errorText.deallocate()
    }

    /// When to end an answer that does not end itself; nil before its head has arrived.
    var restDeadline: ContinuousClock.Instant? { headTime.map { $0 + request.restTimeout } }

    /// Completes the request after libcurl has removed it, with its result.
    func complete(_ result: CURLcode) {
        guard result != CURLE_OK, headTime == nil else {
            answer.isComplete = result == CURLE_OK
            answer.retryAfter = retryAfter
            return completed(.success(answer))
        }
        completed(.failure(HTTPFailure(reason: reason(result))))
    }

    private var retryAfter: Duration? {
        var seconds: curl_off_t = 0
        ccurl_get_size(easy, CURLINFO_RETRY_AFTER, &seconds)
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Completes the request after it was removed before its end: an answer whose rest is missing, or a cancelled
    /// request.
    func abandon() {
        completed(headTime == nil ? .failure(HTTPFailure(reason: .cancelled)) : .success(answer))
    }

    // MARK: Settings

    private func configure(_ settings: HTTPConnections.Settings) -> Bool {
        let me = Unmanaged.passUnretained(self).toOpaque()
        for line in request.headers + ["Expect:"] {
            guard let list = ccurl_slist_append(headers, line) else { return false }
            headers = list
        }
        var results = [
            ccurl_set_pointer(easy, CURLOPT_PRIVATE, me),
            ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText),
            ccurl_set_text(easy, CURLOPT_URL, request.url),
            ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method),
            ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, headers),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // A redirect would send the credentials to another server. It is reported instead.
            ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeout),
            ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(request.timeout / .milliseconds(1))),
            // An empty text keeps the environment's proxies away.
            ccurl_set_text(easy, CURLOPT_PROXY, settings.proxy?.url ?? ""),
            ccurl_set_text(easy, CURLOPT_NOPROXY, ""),
            ccurl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            ccurl_set_pointer(easy, CURLOPT_HEADERDATA, me),
            ccurl_set_data(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
                HTTPTransfer.from(me).receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
            ccurl_set_pointer(easy, CURLOPT_WRITEDATA, me),
            ccurl_set_data(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
                HTTPTransfer.from(me).receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
            },
        ]
        ccurl_leave_resolver(easy)
        if let body = request.body {
            results.append(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            // libcurl copies it, so that it can send it again on another connection.
            results.append(body.withUnsafeBytes { ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) })
        }
        return results.allSatisfy { $0 == CURLE_OK } && configureRoute(settings) && configureTLS(settings)
    }

    /// The proxy and the own address of the connection.
    private func configureRoute(_ settings: HTTPConnections.Settings) -> Bool {
        var results = [CURLcode]()
        if let proxy = settings.proxy, let user = proxy.user {
            results.append(ccurl_set_text(easy, CURLOPT_PROXYUSERNAME, user))
            results.append(ccurl_set_text(easy, CURLOPT_PROXYPASSWORD, proxy.password))
        }
        if settings.proxy?.kind == .socks5 {
            // Not GSS-API, which would send the user's Kerberos ticket, and blocks the thread.
            results.append(ccurl_limit_socks5(easy))
        }
        if let address = settings.localAddress {
            results.append(
                ccurl_set_long(
                    easy, CURLOPT_IPRESOLVE,
                    Int(address.contains(":") ? CURL_IPRESOLVE_V6 : CURL_IPRESOLVE_V4)))
            if address != "0.0.0.0", address != "::" {
                results.append(ccurl_set_text(easy, CURLOPT_INTERFACE, "host!" + address))
            }
        }
        return results.allSatisfy { $0 == CURLE_OK }
    }

    /// The authorities of the server's certificate, and the check of its name, for an `https` address.
    private func configureTLS(_ settings: HTTPConnections.Settings) -> Bool {
        // With another TLS library, the option of the context does not exist, or its function gets another type.
        guard identity != nil else { return true }
        guard Self.usesOpenSSL else { return false }
        var results = [CURLcode]()
        if let file = settings.authoritiesFile {
            results.append(ccurl_set_text(easy, CURLOPT_CAINFO, file))
            results.append(ccurl_set_text(easy, CURLOPT_CAPATH, nil))
        }
        results.append(
            ccurl_set_pointer(easy, CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque()))
        results.append(
            ccurl_set_context(easy, CURLOPT_SSL_CTX_FUNCTION) { _, context, me in
                HTTPTransfer.from(me).secure(context)
            })
        return results.allSatisfy { $0 == CURLE_OK }
    }

    /// True if libcurl uses the version of OpenSSL that `TLS` uses. The name of a library that is not used has
    /// parentheses.
    private static let usesOpenSSL: Bool = {
        guard let libraries = ccurl_tls_libraries().map({ String(cString: $0) }) else { return false }
        return libraries.split(separator: " ").contains { $0.hasPrefix("OpenSSL/\(OPENSSL_version_major()).") }
    }()

    private static func from(_ pointer: UnsafeMutableRawPointer?) -> HTTPTransfer {
        // libcurl passes the pointer that `configure` gave it, while the transfer exists.
        Unmanaged<HTTPTransfer>.fromOpaque(pointer.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Requires TLS 1.2 and the server's identity on a new connection. libcurl's own check would also accept the common
    /// name.
    private func secure(_ context: UnsafeMutableRawPointer?) -> CURLcode {
        guard let context = context.map({ OpaquePointer($0) }), let identity,
            let parameters = SSL_CTX_get0_param(context), TLSContext.configure(context),
            identity.require(in: parameters)
        else { return CURLE_SSL_CONNECT_ERROR }
        // libcurl would write the keys of the connection to a file if the environment names one (SSLKEYLOGFILE).
        SSL_CTX_set_keylog_callback(context, nil)
        return CURLE_OK
    }

    // MARK: Answer

    /// Takes one line of the head. Informational answers (1xx) precede the answer itself. A smaller result than the
    /// size of the line ends the request.
    private func receiveHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        headSize += bytes.count
        guard headSize <= Self.longestHead else { return 0 }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            var status = 0
            ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            (answer.status, answer.schemes, answer.location, answer.links) = (status, [], nil, [])
        } else if line.lowercased().hasPrefix("location:") {
            answer.location = line.dropFirst("location:".count).trimmingWhitespace
        } else if line.lowercased().hasPrefix("link:") {
            answer.links.append(line.dropFirst("link:".count).trimmingWhitespace)
        } else if line.lowercased().hasPrefix("www-authenticate:") {
            let value = line.dropFirst("www-authenticate:".count).drop { $0 == " " }
            answer.schemes.append(value.prefix { !$0.isWhitespace }.lowercased())
        } else if line == "\r\n" || line == "\n", answer.status >= 200 {
            headTime = .now
        }
        return bytes.count
    }

    /// Takes a part of the body. A smaller result than the size of the part ends the request.
    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard answer.body.count + bytes.count <= request.longestRest else { return 0 }
        answer.body += bytes
        return bytes.count
    }

    // MARK: Failure

    private func reason(_ result: CURLcode) -> HTTPFailure.Reason {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: return .noAddress
        case CURLE_PEER_FAILED_VERIFICATION: return .tls(rejection)
        case CURLE_SSL_CONNECT_ERROR: return handshakeProblem.map { .tls($0) } ?? systemReason ?? .closed
        case CURLE_OPERATION_TIMEDOUT: return timeout
        case CURLE_GOT_NOTHING: return .closed
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED:
            var proxyStatus = 0
            ccurl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &proxyStatus)
            // The proxy refused to connect.
            if proxyStatus >= 300 { return .other }
            return systemReason ?? (result == CURLE_COULDNT_CONNECT ? .other : .closed)
        default: return .other
        }
    }

    /// The error of the system's last call for a connection, or nil.
    private var systemReason: HTTPFailure.Reason? {
        var code = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &code)
        return code == 0 ? nil : .system(Int32(truncatingIfNeeded: code))
    }

    private var timeout: HTTPFailure.Reason {
        var (connected, secured, ready) = (0.0, 0.0, 0.0)
        ccurl_get_double(easy, CURLINFO_CONNECT_TIME, &connected)
        ccurl_get_double(easy, CURLINFO_APPCONNECT_TIME, &secured)
        // A connection that was kept has no other times.
        ccurl_get_double(easy, CURLINFO_PRETRANSFER_TIME, &ready)
        if ready > 0 { return .tooSlow }
        if connected == 0 { return .noAnswer }
        return identity != nil && secured == 0 ? .noAnswerInTLS : .tooSlow
    }

    /// Why the server's certificate was rejected.
    private var rejection: TLSProblem {
        var verification = 0
        ccurl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
        // OpenSSL accepted it, so only libcurl's own check of the name is left.
        guard verification != Int(X509_V_OK) else { return .wrongHost }
        return TLSProblem(verification: Int32(truncatingIfNeeded: verification))
    }

    /// Why the handshake failed; nil if the server closed the connection.
    private var handshakeProblem: TLSProblem? {
        // libcurl takes OpenSSL's error from its queue, and gives only the text of the reason.
        let text = String(cString: errorText)
        func names(_ reasons: String...) -> Bool { reasons.contains { text.contains($0) } }
        if names("SSL_ERROR_SYSCALL", "unexpected eof") { return nil }
        if names("wrong version number", "unexpected message", "packet length too long", "http request") {
            return .notTLS
        }
        if names("protocol version", "unsupported protocol", "handshake failure", "insufficient security") {
            return .nothingInCommon
        }
        return .failed(text)
    }
}

extension Substring {
    /// Without white space at both ends.
    fileprivate var trimmingWhitespace: String {
        var rest = drop { $0.isWhitespace }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
