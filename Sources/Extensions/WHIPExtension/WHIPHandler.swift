import Bitstream
import BroadcastExtension
import Dispatch
import HTTPClient
import Media

/// Sends the broadcast to a server by WebRTC.
package final class WHIPHandler: BroadcastSampleHandler {
    /// The time limit for `finished`. The host allows 5 s.
    private static let finishDeadline = DispatchTimeInterval.milliseconds(4500)

    private var host: BroadcastHost?
    private var start: BroadcastStart?
    private var settings: WHIPSettings?
    private var sender: WHIPSender?
    private var origin: MediaTime?
    private let sending = DispatchGroup()

    package init() {}

    package func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        if let name = HTTPConnections.missingLibrary {
            throw BroadcastFailure(
                code: 500, message: "WHIP needs \(name), which cannot be opened: install libcurl with OpenSSL")
        }
        settings = try WHIPSettings(setup: broadcast.setup)
        (self.host, start) = (host, broadcast)
        if broadcast.tracks.isEmpty {
            throw BroadcastFailure(code: 415, message: "There is neither picture nor sound to send")
        }
        // Only a picture has a configuration.
        if !broadcast.tracks.contains(where: { $0.id == Track.screen.rawValue }) { begin(video: nil) }
    }

    package func timelineBegan(at clock: Int64) {
        origin = MediaTime(nanoseconds: clock)
        sender?.setOrigin(MediaTime(nanoseconds: clock))
    }

    package func configured(_ track: Track, data: [UInt8]) {
        guard track == .screen, sender == nil, let record = try? AVCDecoderConfigurationRecord(reading: data) else {
            return
        }
        begin(video: record)
    }

    package func process(_ sample: BroadcastSample) { sender?.push(sample) }

    package func finished() throws {
        guard let sender else { return }
        sender.end()
        guard sending.wait(timeout: .now() + Self.finishDeadline) == .success else {
            throw BroadcastFailure(code: 503, message: "The session could not be ended in time", retry: true)
        }
    }

    private func begin(video: AVCDecoderConfigurationRecord?) {
        guard let host, let settings, let start else { return }
        let sender = WHIPSender(
            settings, stream: .init(video: video, sound: start.sound), wasLive: start.wasLive, host: host)
        if let origin { sender.setOrigin(origin) }
        self.sender = sender
        sending.enter()
        Task { [sending] in
            await sender.run()
            sending.leave()
        }
    }
}
