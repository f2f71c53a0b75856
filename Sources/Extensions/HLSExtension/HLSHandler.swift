import BroadcastExtension
import Dispatch
import FoundationEssentials
import HLS
import HTTPClient
import Media
import Processes

/// Splits the broadcast into segments and publishes them in a folder or on a server.
package final class HLSHandler: BroadcastSampleHandler {
    /// The maximum size of waiting segments in bytes while the store is not available: about 40 s at 6 Mbit/s.
    private static let maximumWaitingByteCount = 32 << 20
    /// The time limit for the last segments. The user waits for them after a stop, so a server that hangs gets no more
    /// time.
    private static let finishDeadline = DispatchTimeInterval.milliseconds(2500)
    /// The additional time for the final playlist, if not all segments could be uploaded.
    private static let playlistDeadline = DispatchTimeInterval.milliseconds(1000)
    /// A playlist whose last segment is older is not continued.
    private static let continuationLimit = 15.0 * 60

    private let home: String?
    private var host: BroadcastHost?
    private var settings: HLSSettings?
    private var stream: ReceivedStream?
    /// True if the stream changed since the last sample.
    private var isReconfigured = false
    private var segmenter: Segmenter?
    private var uploader: Uploader?
    /// Held until the last upload.
    private var lock: LockedFile?
    private let uploads = DispatchGroup()

    /// - Parameter home: the path that replaces `~`.
    package init(home: String?) {
        self.home = home
    }

    package func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        let settings = try HLSSettings(setup: broadcast.setup, home: home)
        self.host = host
        self.settings = settings
        stream = ReceivedStream(broadcast)
        if case .server = settings.place, let name = HTTPConnections.missingLibrary {
            throw BroadcastFailure(
                code: 500, message: "Uploads need \(name), which cannot be opened: install libcurl with OpenSSL")
        }
        let store = try Self.store(for: settings, wasLive: broadcast.wasLive)
        lock = try lock(settings, store)
        let now = Date()
        let names = ObjectNames(
            playlist: settings.playlist, format: settings.format, date: now, number: .random(in: 0...UInt16.max))
        // A player that remains connected must see increasing numbers. Seconds since 1970 increase fast enough, because
        // a segment lasts at least one second.
        let (window, targetDuration) = (settings.window, Int(settings.segmentDuration.rounded(.up)))
        let playlist = MediaPlaylist(
            window: window, firstNumber: Int(now.timeIntervalSince1970), targetDuration: targetDuration)
        var policy = RetryPolicy()
        policy.uploadLimit = max(policy.uploadLimit, .seconds(2 * settings.segmentDuration))
        let uploader = Uploader(
            store: store,
            publication: Publication(
                names: names, playlist: playlist, maximumWaitingByteCount: Self.maximumWaitingByteCount),
            policy: policy, wasLive: broadcast.wasLive,
            continuing: { text in
                MediaPlaylist(
                    continuing: text, names: names, window: window, targetDuration: targetDuration,
                    earliest: now - Self.continuationLimit)
            },
            report: { host.status($0) }, ready: { host.ready($0) },
            pace: { waiting, bitrate in host.waiting(milliseconds: waiting, acceptedBitrate: bitrate) },
            fail: { host.finish(with: $0) })
        self.uploader = uploader
        uploads.enter()
        Task { [uploads] in
            await uploader.run()
            uploads.leave()
        }
        if let url = settings.watchURL { host.watchURL(url) }
        // A folder that was created accepts segments. A server must accept an object first.
        if case .folder = settings.place {
            if settings.watchURL == nil { host.status("players open \(settings.playlist)") }
            host.ready(true)
        }
    }

    package func configured(_ track: Track, data: [UInt8]) {
        stream?.configure(track, data: data)
        isReconfigured = true
    }

    package func process(_ sample: BroadcastSample) throws {
        if isReconfigured { try reconfigure(at: sample.presentationTime) }
        guard let uploader, let segment = segmenter?.append(sample.packet) else { return requestKeyframeIfNeeded() }
        uploader.append(segment)
        requestKeyframeIfNeeded()
    }

    package func finished() throws {
        defer { lock = nil }
        guard let uploader else { return }
        if let segment = segmenter?.end() { uploader.append(segment) }
        uploader.end()
        if uploads.wait(timeout: .now() + Self.finishDeadline) == .success {
            host?.status(uploader.lost.status)
            return
        }
        let before = uploader.lost
        uploader.skipToEnd()
        let isOver = uploads.wait(timeout: .now() + Self.playlistDeadline) == .success
        guard isOver, uploader.hasPublishedEnd else {
            let reason = uploader.problem.map { ": \($0)" } ?? ""
            throw BroadcastFailure(
                code: 503,
                message:
                    "The end of the broadcast could not be uploaded in time, so the playlist has no end mark\(reason)",
                retry: true)
        }
        let lost = uploader.lost
        if let failure = lost.failure(after: before) { throw failure }
        host?.status(lost.status)
    }

    private func reconfigure(at time: MediaTime) throws {
        guard let settings, let description = stream?.description else { return }
        guard description.video != nil else {
            throw BroadcastFailure(code: 415, message: "There is no picture, which segments require")
        }
        isReconfigured = false
        if let segment = segmenter?.change(to: description) { uploader?.append(segment) }
        guard segmenter == nil else { return }
        segmenter = Segmenter(
            description, format: settings.format, duration: MediaTime(seconds: settings.segmentDuration),
            epoch: Date() - time.seconds)
    }

    private func requestKeyframeIfNeeded() {
        if segmenter?.takeKeyframeRequest() == true { host?.requestKeyframe() }
    }

    /// Returns nil if nothing can be locked.
    private func lock(_ settings: HLSSettings, _ store: any SegmentStore) throws -> LockedFile? {
        let path: String? =
            switch settings.place {
            case .folder(let folder): PlaylistLock.path(folder: folder, playlist: settings.playlist)
            case .server(let address): PlaylistLock.path(address: address.url(of: settings.playlist), home: home)
            }
        guard let path else { return nil }
        do throws(PlaylistLock.InUse) {
            return try PlaylistLock.acquire(path)
        } catch {
            throw store.conflict(over: settings.playlist)
        }
    }

    private static func store(for settings: HLSSettings, wasLive: Bool) throws -> any SegmentStore {
        switch settings.place {
        case .server(let address):
            return HTTPStore(
                address: address, authorization: settings.authorization, authoritiesFile: settings.authoritiesFile,
                route: settings.route,
                playlistLifetime: max(1, Int(settings.segmentDuration / 2)))
        case .folder(let path):
            do throws(StoreError) {
                return try FolderStore(
                    folder: path, createsParents: settings.createsParents, playlist: settings.playlist)
            } catch {
                switch error {
                // At the first start the path is wrong. A disk that was there before can return.
                case .refused(_, let reason): throw BroadcastFailure(code: wasLive ? 503 : 400, message: reason)
                case .unavailable(let reason, _): throw BroadcastFailure(code: 503, message: reason)
                }
            }
        }
    }
}
