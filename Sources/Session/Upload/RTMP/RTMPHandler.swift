import Media
import RTMP
import Synchronization

/// Publishes to an RTMP server, and moves to another connection when the server asks for it
/// (`RTMPHandler+Succession.swift`).
package actor RTMPHandler: SampleHandler {
    /// The connections, readable from other threads.
    struct Connections {
        /// The connection that receives the packets.
        var current: RTMPPublisher?
        /// The previous connection, which is being finished.
        var retiring: RTMPPublisher?
        /// The number of bytes that went over closed connections.
        var retiredByteCount = 0

        /// The number of bytes that went over all connections.
        var byteCount: Int {
            [current, retiring].compactMap { $0 }.reduce(retiredByteCount) {
                $0 + Int(clamping: $1.statistics.bytesSent)
            }
        }
    }

    let connections = Mutex(Connections())
    private let context = Mutex(HandlerContext())
    var stream: StreamDescription?
    var succession = RTMPSuccession.none
    /// How often the server's requests for a new connection are obeyed.
    var movePace = MovePace()

    /// The addresses in the order in which they are tried.
    private let urls: [RTMPURL]
    private let caFile: String?
    private let route: RTMPRoute
    private let deadlines: RTMPDeadlines

    /// - Parameters:
    ///   - url: the server's address with the stream key.
    ///   - caFile: the PEM certificates to trust for `rtmps`; nil to trust those of the system.
    package init(url: RTMPURL, caFile: String? = nil, deadlines: RTMPDeadlines = RTMPDeadlines()) {
        self.init(urls: [url], caFile: caFile, deadlines: deadlines)
    }

    /// - Parameters:
    ///   - urls: the server's address, then those of its backups, each with the stream key.
    ///   - route: the version of IP, the proxy and the local end of connections.
    package init(
        urls: [RTMPURL], caFile: String? = nil, route: RTMPRoute = RTMPRoute(),
        deadlines: RTMPDeadlines = RTMPDeadlines()
    ) {
        self.urls = urls
        self.caFile = caFile
        self.route = route
        self.deadlines = deadlines
    }

    package nonisolated var byteCount: Int { connections.withLock { $0.byteCount } }

    /// The server confirms each stream before `started` returns.
    package nonisolated var remarks: HandlerRemarks {
        var remarks = HandlerRemarks()
        remarks.isConfirmed = true
        return remarks
    }

    package nonisolated func attach(_ context: HandlerContext) {
        self.context.withLock { $0 = context }
    }

    nonisolated func requestKeyframe() {
        context.withLock { $0.requestKeyframe }()
    }

    nonisolated func report(_ notice: UploadNotice) {
        context.withLock { $0.report }(notice)
    }

    /// Connects to the first address that can be reached. The caller may call it again after it threw.
    ///
    /// - Throws: the error of the first address.
    package func started(_ stream: StreamDescription) async throws(UploadError) {
        self.stream = stream
        abandonSuccession()
        var failure: RTMPError?
        for url in urls {
            do throws(RTMPError) {
                install(
                    try await RTMPPublisher.connect(
                        to: url, stream: stream, caFile: caFile, route: route, deadlines: deadlines))
                retire()
                return
            } catch {
                failure = failure ?? error
                guard error.isOfThisServer else { break }
            }
        }
        if let failure { throw .rtmp(failure) }
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        do throws(RTMPError) {
            try await pass(packet)
        } catch {
            throw .rtmp(error)
        }
    }

    /// Sends the current metadata to the server.
    package func annotated(_ information: [String: String]) async throws(UploadError) {
        guard let publisher = connections.withLock({ $0.current }), var updated = stream else { return }
        updated.annotations.merge(information) { _, new in new }
        stream = updated
        do throws(RTMPError) {
            try await publisher.update(updated)
        } catch {
            throw .rtmp(error)
        }
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        let (current, retiring) = connections.withLock { ($0.current, $0.retiring) }
        guard let current else { return }
        await returnHeldPackets(to: current)
        abandonSuccession()
        async let old = retiring?.finish(deadline: deadline)
        await current.finish(deadline: deadline)
        _ = await old
    }

    /// Makes `publisher` the current connection. The caller must retire the previous one.
    func install(_ publisher: RTMPPublisher) {
        connections.withLock { connections in
            connections.retiring = connections.current
            connections.current = publisher
        }
    }

    /// Counts the previous connection as closed and releases it.
    func retire() {
        connections.withLock { connections in
            connections.retiredByteCount += connections.retiring.map { Int(clamping: $0.statistics.bytesSent) } ?? 0
            connections.retiring = nil
        }
    }
}

extension RTMPError {
    /// True if another server of the same service may accept the stream: this one cannot be reached, or does not speak.
    fileprivate var isOfThisServer: Bool {
        switch self {
        case .unreachable, .proxyFailed, .broken, .insecure, .protocolViolation: true
        case .timedOut(let step), .closed(let step): step != .publishReply
        case .refused, .signInRefused, .streamBusy, .badRedirect, .unsupportedFormat, .unusableCertificateFile,
            .cancelled:
            false
        }
    }
}
