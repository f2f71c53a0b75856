import Concurrency
import Encode
import Media
import Synchronization
import Upload

/// One picture size and quality of a broadcast: its frames, its encoder, and the destinations that take what comes out.
///
///     CaptureLoop ─► FrameMailbox ─► VideoLoop ─► Distributor
final class Rendition: Sendable {
    let settings: RenditionSettings
    /// What the destinations ask for that it was made for.
    let requirements: PictureRequirements
    let mailbox = FrameMailbox()
    let distributor: Distributor
    /// True if its packets are kept for clips.
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
    ///   - onFailure: called on the encoder's thread if the encoder fails later. It must not block.
    init(
        settings: RenditionSettings, requirements: PictureRequirements, frameRate: Int, clips: ClipBuffer?, disclosure: Disclosure,
        onFailure: @escaping @Sendable (EncodeError) -> Void
    ) async throws(EncodeError) {
        self.settings = settings
        self.requirements = requirements
        distributor = Distributor(clips: clips)
        keepsClips = clips != nil
        loop = VideoLoop(settings: settings, frameRate: frameRate, mailbox: mailbox, distributor: distributor, disclosure: disclosure)
        let (thread, format) = try await loop.start(onFailure: onFailure)
        self.thread = thread
        self.format = format ?? VideoTrackFormat(codec: settings.chroma.rawCodec, size: settings.size, frameRate: frameRate)
    }

    /// Pictures flow from now on.
    func begin(clock: SessionClock) {
        loop.begin(clock: clock)
    }

    /// True once showing the last frame longer gives as good a picture as encoding it again.
    var isSettled: Bool { loop.isSettled }

    /// True once after the encoder showed a slate of its own: the next frame must be the whole picture.
    func takeWholeFrameRequest() -> Bool {
        loop.takeWholeFrameRequest()
    }

    /// Counts a frame that differed from the one before.
    func noteCaptured() {
        captured.add(1, ordering: .relaxed)
    }

    /// The next frame should be an IDR picture.
    func requestKeyframe() {
        loop.requestKeyframe()
    }

    /// The bitrate that was asked for, in kbit/s; nil if the quality is constant and cannot follow the network.
    var wantedBitrate: Int? {
        if case .bitrate(let kilobits) = settings.encoding?.rateControl { kilobits } else { nil }
    }

    /// The bitrate of now, in kbit/s.
    var bitrate: Int? { wantedBitrate.map { loop.bitrate ?? $0 } }

    /// Changes the bitrate from the next frame on; kbit/s.
    func setBitrate(_ kilobits: Int) {
        loop.setBitrate(kilobits)
    }

    /// Ends the encoder once it has taken the frame in the mailbox.
    func finish() async {
        mailbox.close()
        _ = await thread.join(within: ShutdownTimetable.encoderThread)
    }

    /// Figures as of `time`. After the session's end the bitrate is zero.
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
