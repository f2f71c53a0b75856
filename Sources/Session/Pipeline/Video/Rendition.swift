import Capture
import Concurrency
import Encode
import Media
import Mix
import Synchronization

/// One encode of a broadcast: its size and quality, its frames, its encoder, and the destinations that take its
/// packets.
///
///     CaptureLoop ─► FrameMailbox ─► VideoLoop ─► Distributor
package final class Rendition: Sendable {
    let settings: RenditionSettings
    /// The picture requirements of the destinations for which it was created.
    let requirements: PictureRequirements
    let mailbox = FrameMailbox()
    let distributor: Distributor
    /// True if the clip buffer receives its packets.
    package let keepsClips: Bool
    /// The size and codec configuration of its stream.
    package let format: VideoTrackFormat
    private let loop: VideoLoop
    private let thread: NamedThread
    private let captured = Atomic(0)
    private let meters = Mutex((bytes: RateMeter(), frames: RateMeter()))
    /// Nil if nothing is encoded.
    private let overload: Mutex<OverloadController?>

    /// Opens the encoder on its own thread.
    ///
    /// - Parameters:
    ///   - clips: receives the encoded packets; nil if clips are off, or another rendition keeps them.
    ///   - onFailure: called on the encoder's thread if the encoder fails later. It must not block.
    init(
        settings: RenditionSettings, requirements: PictureRequirements, frameRate: Int, clips: ClipBuffer?,
        disclosure: Disclosure,
        onFailure: @escaping @Sendable (EncodeError) -> Void
    ) async throws(EncodeError) {
        self.settings = settings
        self.requirements = requirements
        distributor = Distributor(clips: clips)
        keepsClips = clips != nil
        loop = VideoLoop(
            settings: settings, frameRate: frameRate, mailbox: mailbox, distributor: distributor, disclosure: disclosure
        )
        let (thread, format) = try await loop.start(onFailure: onFailure)
        self.thread = thread
        overload = Mutex(settings.encoding.map { OverloadController(preset: $0.coding.preset, frameRate: frameRate) })
        self.format =
            format ?? VideoTrackFormat(codec: settings.chroma.rawCodec, size: settings.size, frameRate: frameRate)
    }

    /// Starts to encode frames.
    func begin(clock: SessionClock) {
        loop.begin(clock: clock)
    }

    /// True if repeating the last frame gives the same quality as encoding it again.
    var isSettled: Bool { loop.isSettled }

    /// True if the quality of the last picture does not improve any more, and the encoder does all that it was set to.
    package var isCalm: Bool { isSettled && bitrate == wantedBitrate && reduction == .none }

    private var reduction: EncoderReduction { overload.withLock { $0?.reduction } ?? .none }

    /// Requests the whole picture, or the slate, as the next frame, also if nothing changes.
    func requestWholeFrame() {
        loop.requestWholeFrame()
    }

    /// Returns true once if the next frame must be the whole picture.
    func takeWholeFrameRequest() -> Bool {
        loop.takeWholeFrameRequest()
    }

    /// True if the next frame must be the whole picture, until `takeWholeFrameRequest`.
    var isWholeFrameRequested: Bool { loop.isWholeFrameRequested }

    /// Ends a wait for a frame, after the user has asked to hide something.
    func noteRequest() {
        loop.noteRequest()
    }

    /// Called after a change of the rules for hidden windows.
    func noteRules() {
        loop.noteRules()
    }

    /// Whether viewers of this rendition see nothing more of what the user has asked to hide.
    package func concealment(needsSlate: Bool) -> Concealment { loop.concealment(needsSlate: needsSlate) }

    /// Counts a frame that differs from the previous one.
    func noteCaptured() {
        captured.add(1, ordering: .relaxed)
    }

    /// Requests that the next frame is an IDR picture.
    package func requestKeyframe() {
        loop.requestKeyframe()
    }

    /// The chosen bitrate in kbit/s; nil if the quality is constant, so that it cannot adapt to the network.
    package var wantedBitrate: Int? {
        if case .bitrate(let kilobits) = settings.encoding?.rateControl { kilobits } else { nil }
    }

    /// The current bitrate in kbit/s; nil if the quality is constant.
    package var bitrate: Int? { wantedBitrate.map { loop.bitrate ?? $0 } }

    /// Changes the bitrate from the next frame on; kbit/s.
    package func setBitrate(_ kilobits: Int) {
        loop.setBitrate(kilobits)
    }

    /// Makes the encoder do less if it is slower than real time, and more again when it can. Call it several times a
    /// second.
    ///
    /// - Returns: what it does less of, if that changed.
    package func fitLoad(at time: MediaTime) -> EncoderReduction? {
        let reduction = overload.withLock { overload -> EncoderReduction? in
            overload?.note(busy: loop.busy, replaced: mailbox.replacedCount, at: time) == true
                ? overload?.reduction : nil
        }
        if let reduction { loop.reduce(reduction) }
        return reduction
    }

    /// Ends the encoder after it has encoded the frame in the mailbox. Waits for at most `limit`.
    func finish(within limit: Duration) async {
        mailbox.close()
        _ = await thread.join(within: limit)
    }

    /// Returns the figures at `time`. After the end of the session, the bitrate is zero.
    package func figures(at time: MediaTime, isOver: Bool) -> RenditionFigures {
        let counts = loop.counts
        let (bytes, frames) = meters.withLock { meters in
            meters.bytes.note(counts.bytes, at: time)
            meters.frames.note(counts.encoded + counts.repeated, at: time)
            return (meters.bytes.rate, meters.frames.rate)
        }
        return RenditionFigures(
            size: settings.size, frameRate: format.frameRate, captured: captured.load(ordering: .relaxed),
            encoded: counts.encoded,
            repeated: counts.repeated, dropped: mailbox.replacedCount,
            writtenFrameRate: isOver ? 0 : Int(frames.rounded()), bitrate: isOver ? 0 : Int(bytes * 8 / 1000),
            targetBitrate: bitrate,
            reduction: reduction)
    }
}
