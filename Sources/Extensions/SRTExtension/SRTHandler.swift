import BroadcastExtension
import Dispatch
import Glibc
import Media
import Processes

/// Sends the broadcast over SRT.
package final class SRTHandler: BroadcastSampleHandler {
    /// The time limit for `finished`. The host allows 5 s.
    private static let finishDeadline = DispatchTimeInterval.milliseconds(4500)

    private var host: BroadcastHost?
    private var settings: SRTSettings?
    private var stream: ReceivedStream?
    private var wasLive = false
    private var sender: SRTSender?
    private let sending = DispatchGroup()
    private static let tellInterval = Duration.milliseconds(200)
    private var lastTold: (time: ContinuousClock.Instant, milliseconds: Int, bitrate: Int?)?

    package init() {}

    package func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        if let name = SRTSocket.missingLibrary {
            throw BroadcastFailure(code: 500, message: "SRT needs \(name), which cannot be opened: install libsrt")
        }
        let settings = try SRTSettings(setup: broadcast.setup)
        self.settings = settings
        if !settings.ineffectiveKeys.isEmpty {
            // Standard error is copied to the session's log.
            let line = Array(
                "parameters of the address that have no effect: \(settings.ineffectiveKeys.joined(separator: ", "))\n"
                    .utf8)
            try? FileDescriptor.writeAll(line, to: STDERR_FILENO)
        }
        self.host = host
        stream = ReceivedStream(broadcast)
        wasLive = broadcast.wasLive
        if broadcast.tracks.isEmpty {
            throw BroadcastFailure(code: 415, message: "There is neither picture nor sound to send")
        }
    }

    package func configured(_ track: Track, data: [UInt8]) {
        stream?.configure(track, data: data)
        guard sender == nil, let host, let settings, let description = stream?.description else { return }
        let sender = SRTSender(
            settings, stream: description, wasLive: wasLive, report: { host.status($0) }, ready: { host.ready($0) },
            requestKeyframe: { host.requestKeyframe() },
            fail: { host.finish(with: $0) })
        self.sender = sender
        sending.enter()
        Task { [sending] in
            await sender.run()
            sending.leave()
        }
    }

    package func process(_ sample: BroadcastSample) {
        guard let sender else { return }
        sender.push(sample.packet)
        tellBacklog(of: sender)
    }

    /// Reports the backlog, and the bitrate that the line takes, to the host, which lowers the bitrate if the line is
    /// too narrow.
    private func tellBacklog(of sender: SRTSender) {
        let now = ContinuousClock.now
        guard lastTold.map({ now - $0.time >= Self.tellInterval }) ?? true else { return }
        let waiting = Int(sender.backlog.milliseconds)
        // Packets that arrive in quick succession always wait for a short time.
        let told = waiting < 100 ? 0 : waiting
        let bitrate = sender.acceptedBitrate
        if told != lastTold?.milliseconds ?? 0 || bitrate != lastTold?.bitrate {
            host?.waiting(milliseconds: told, acceptedBitrate: bitrate)
        }
        lastTold = (now, told, bitrate)
    }

    package func finished() throws {
        guard let sender else { return }
        sender.end()
        guard sending.wait(timeout: .now() + Self.finishDeadline) == .success else {
            throw BroadcastFailure(
                code: 503, message: "The end of the broadcast could not be sent in time", retry: true)
        }
    }
}
