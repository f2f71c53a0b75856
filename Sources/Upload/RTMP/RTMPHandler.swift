import Media
import RTMP
import Synchronization

/// Publishes to an RTMP server.
package actor RTMPHandler: SampleHandler {
    private let url: RTMPURL
    private let caFile: String?
    private let deadlines: RTMPDeadlines
    private var stream: StreamDescription?
    private let publisher = Mutex<RTMPPublisher?>(nil)

    /// - Parameters:
    ///   - url: with its stream key.
    ///   - caFile: the PEM certificates to trust for `rtmps`; nil trusts those of the system.
    package init(url: RTMPURL, caFile: String? = nil, deadlines: RTMPDeadlines = RTMPDeadlines()) {
        self.url = url
        self.caFile = caFile
        self.deadlines = deadlines
    }

    package nonisolated var byteCount: Int {
        publisher.withLock { $0.map { Int(clamping: $0.statistics.bytesSent) } ?? 0 }
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        self.stream = stream
        do throws(RTMPError) {
            let connected = try await RTMPPublisher.connect(to: url, stream: stream, caFile: caFile, deadlines: deadlines)
            publisher.withLock { $0 = connected }
        } catch {
            throw UploadError(error)
        }
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        guard let publisher = publisher.withLock({ $0 }) else { return }
        do throws(RTMPError) {
            try await publisher.send(packet)
        } catch {
            throw UploadError(error)
        }
    }

    /// What is known of the moment goes to the server as metadata.
    package func annotated(_ information: [String: String]) async throws(UploadError) {
        guard let publisher = publisher.withLock({ $0 }), var updated = stream else { return }
        updated.annotations.merge(information) { _, new in new }
        stream = updated
        do throws(RTMPError) {
            try await publisher.update(updated)
        } catch {
            throw UploadError(error)
        }
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard let publisher = publisher.withLock({ $0 }) else { return }
        await publisher.finish(deadline: deadline)
    }
}
