import Encode
import Media
import Synchronization
import Threads

/// One picture size and quality of a broadcast: its frames, its encoder, and the destinations that take what comes out.
///
///     CaptureLoop ─► FrameMailbox ─► VideoLoop ─► Distributor
final class Rendition: Sendable {
    let settings: RenditionSettings
    /// What those ask for who had it made.
    let wishes: PictureWishes
    let mailbox = FrameMailbox()
    let distributor: Distributor
    /// True where its packets are kept for clips.
    let keepsClips: Bool
    /// The size and codec configuration of its stream.
    let format: VideoTrackFormat
    private let loop: VideoLoop
    private let thread: NamedThread
    private let captured = Atomic(0)
    private let meter = Mutex(RateMeter())

    /// Opens the encoder on a thread of its own.
    ///
    /// - Parameters:
    ///   - clips: keeps the last stretch of what is encoded.
    ///   - onFailure: is told when the encoder fails later.
    init(
        settings: RenditionSettings, wishes: PictureWishes, frameRate: Int, clips: ClipBuffer?,
        onFailure: @escaping @Sendable (EncodeError) -> Void
    ) async throws(EncodeError) {
        self.settings = settings
        self.wishes = wishes
        distributor = Distributor(clips: clips)
        keepsClips = clips != nil
        loop = VideoLoop(mailbox: mailbox, distributor: distributor)
        let (thread, format) = try await loop.start(settings: settings.encoding, onFailure: onFailure)
        self.thread = thread
        self.format = format ?? VideoTrackFormat(codec: settings.chroma.rawCodec, size: settings.size, frameRate: frameRate)
    }

    /// True once showing the last frame longer gives as good a picture as encoding it again.
    var isSettled: Bool { loop.isSettled }

    /// Counts a frame that differed from the one before.
    func noteCaptured() {
        captured.add(1, ordering: .relaxed)
    }

    /// The next frame is to be an IDR picture.
    func requestKeyframe() {
        loop.requestKeyframe()
    }

    /// The bitrate that was asked for, in kbit/s; nil where the quality is constant and cannot follow the network.
    var wantedBitrate: Int? {
        if case .bitrate(let kilobits) = settings.encoding?.rateControl { kilobits } else { nil }
    }

    /// The bitrate of now, in kbit/s.
    var bitrate: Int? { wantedBitrate.map { loop.bitrate ?? $0 } }

    /// Changes the bitrate from the next frame on; kbit/s.
    func setBitrate(_ kilobits: Int) {
        loop.setBitrate(kilobits)
    }

    /// Ends the encoder once it has taken what waits.
    func finish() async {
        mailbox.close()
        await thread.join()
    }

    /// How it is doing at `time`; where the session is over its rate is nothing.
    func snapshot(at time: MediaTime, isOver: Bool) -> SessionSnapshot.Video {
        let counts = loop.counts
        let rate = meter.withLock { meter in
            meter.note(counts.bytes, at: time)
            return meter.rate
        }
        return SessionSnapshot.Video(
            size: settings.size, frameRate: format.frameRate, captured: captured.load(ordering: .relaxed), encoded: counts.encoded,
            repeated: counts.repeated, dropped: mailbox.replacedCount, bitrate: isOver ? 0 : Int(rate * 8 / 1000), targetBitrate: bitrate)
    }
}
