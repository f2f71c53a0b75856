import Concurrency
import Encode
import Media
import RTMP
import Upload
import UserConfiguration

/// How much a line carries to a server, and what fits it.
package struct LineCapacity: Sendable, Equatable {
    package var address: String
    /// Bits per second that the server took, in kbit/s.
    package var rate: Int
    /// True if the line took all that the test offered, so that it can carry more.
    package var isAtLimit: Bool
    /// The video bitrate in kbit/s that fits; nil if the line is too slow for a broadcast.
    package var bitrate: Int?
    /// The size that fits this bitrate; nil if the screen is no larger.
    package var size: PixelSize?

    /// - Parameters:
    ///   - limits: those of the service.
    ///   - screen: the size of the screen; nil if it is not known.
    package init(
        address: String, rate: Int, isAtLimit: Bool, limits: PictureLimits = PictureLimits(), screen: PixelSize? = nil
    ) {
        (self.address, self.rate, self.isAtLimit) = (address, rate, isAtLimit)
        // What other programs send, and a line that becomes slower, need the rest.
        let usable = min(rate * 7 / 10 - Self.audio, limits.bitrate ?? .max, Self.highest) / 100 * 100
        guard usable >= Self.lowest else { return }
        bitrate = usable
        guard let fitting = Self.sizes.first(where: { $0.bitrate <= usable })?.size else { return }
        let allowed = limits.size.map { $0.height < fitting.height ? $0 : fitting } ?? fitting
        if screen.map({ min($0.width, $0.height) > allowed.height }) ?? true { size = allowed }
    }

    /// kbit/s.
    private static let audio = 160
    private static let lowest = 500
    private static let highest = 12_000
    /// The least bitrate for a size. A screen with text that changes is blurred below it.
    private static let sizes: [(bitrate: Int, size: PixelSize)] = [
        (2500, PixelSize(width: 1920, height: 1080)), (1200, PixelSize(width: 1280, height: 720)),
        (lowest, PixelSize(width: 854, height: 480)),
    ]
}

extension Doctor {
    /// How long the test sends, and when the measurement begins: before that, the buffers on the way fill.
    private static let lineTime = (begin: Duration.seconds(2), end: Duration.seconds(8))
    /// What the test offers, in kbit/s.
    private static let lineOffer = 30_000

    /// Sends to a server for some seconds, and reports how much it took.
    ///
    /// - Parameter screen: the size of the screen; nil if it is not known.
    func examineLine(to plan: DestinationPlan, screen: PixelSize?) async {
        guard let test = plan.lineTest else { return report(.line, .warning, .noLineTest(name: plan.name)) }
        await examineLine(test, at: plan.url ?? plan.name, screen: screen)
    }

    /// The same for an address without a key.
    func examineLine(to server: RTMPAddress, _ text: String, _ route: RTMPRoute, screen: PixelSize?) async {
        guard !KnownService.all.contains(where: { $0.owns(server.host) }),
            let url = try? RTMPURL(text, streamKey: "test"), let test = LineTest(at: url, route: route)
        else { return report(.line, .warning, .noLineTest(name: "\(server)")) }
        await examineLine(test, at: "\(server)", screen: screen)
    }

    private func examineLine(_ test: LineTest, at address: String, screen: PixelSize?) async {
        guard var picture = try? TestPicture() else { return report(.line, .wrong, .encoderFails) }
        do throws(RTMPError) {
            guard let rate = try await Self.measure(test, &picture) else {
                return report(.line, .wrong, .encoderFails)
            }
            let capacity = LineCapacity(
                address: address, rate: rate, isAtLimit: rate >= Self.lineOffer * 9 / 10, limits: test.limits,
                screen: screen)
            report(.line, capacity.bitrate == nil ? .wrong : .ok, .line(capacity))
        } catch {
            report(.line, .wrong, .lineProblem(error, usesKey: test.usesKey))
        }
    }

    /// Returns the rate in kbit/s; nil if the picture cannot be encoded.
    private static func measure(_ test: LineTest, _ picture: inout TestPicture) async throws(RTMPError) -> Int? {
        let publisher = try await test.connect(picture.stream)
        let begin = ContinuousClock.now
        var first: (bytes: UInt64, time: Duration)?
        while true {
            let elapsed = ContinuousClock.now - begin
            if elapsed >= lineTime.begin, first == nil { first = (publisher.statistics.bytesSent, elapsed) }
            if elapsed >= lineTime.end { break }
            guard let packet = picture.next(at: MediaTime(elapsed), bytes: lineOffer * 125 / TestPicture.rate) else {
                await publisher.finish(deadline: .zero)
                return nil
            }
            // Throws if the server takes nothing for some seconds.
            try await publisher.send(packet)
            let due = begin + .seconds(Double(picture.count) / Double(TestPicture.rate))
            try? await Task.sleep(until: due, clock: .continuous)
        }
        let (bytes, end) = (publisher.statistics.bytesSent, ContinuousClock.now - begin)
        await publisher.finish(deadline: .seconds(2))
        guard let first, end > first.time else { return 0 }
        return Int(Double(bytes - first.bytes) * 8 / 1000 / ((end - first.time) / .seconds(1)))
    }
}

/// A small grey picture that is shown again and again, made larger with filler data (ITU-T H.264, 7.3.2.7), which
/// decoders skip.
private struct TestPicture {
    /// Pictures a second.
    static let rate = 50

    let stream: StreamDescription
    private let encoder: VideoEncoder
    private let picture: Picture
    private(set) var count = 0

    init() throws(EncodeError) {
        let size = PixelSize(width: 320, height: 180)
        let frame = PixelBuffer(format: .i420, size: size)
        frame.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = 128 }
        }
        picture = Picture(size: size, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(size))
        encoder = try VideoEncoder(settings: VideoSettings(size: size, frameRate: Self.rate, rateControl: .quality(30)))
        stream = StreamDescription(video: encoder.format, audio: [])
    }

    /// Returns the next picture with about that many bytes; nil if it cannot be encoded.
    mutating func next(at time: MediaTime, bytes: Int) -> EncodedPacket? {
        let packets =
            count == 0
            ? try? encoder.encode(
                SampleBuffer(track: .screen, presentationTime: time, payload: .picture(picture)))
            : try? encoder.encodeRepeat(at: time)
        guard let packet = packets?.first else { return nil }
        count += 1
        let filler = max(0, bytes - packet.data.count - 6)
        // The length and the type of the NAL unit, and the stop bit.
        let length = UInt32(filler + 2)
        let head = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + [12]
        return EncodedPacket(
            track: .screen, presentationTime: packet.presentationTime, decodeTime: packet.decodeTime,
            isKeyframe: packet.isKeyframe, sequence: packet.sequence,
            data: packet.data + head + [UInt8](repeating: 0xff, count: filler) + [0x80])
    }
}
