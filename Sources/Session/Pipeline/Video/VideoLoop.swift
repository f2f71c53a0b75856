import Capture
import Concurrency
import Encode
import Media
import Mix
import Synchronization

/// The video encoder's thread. It takes frames from the mailbox and passes packets to the distributor. It opens, uses
/// and closes x264.
///
/// It replaces a capture thread that hangs, for example in an X server that was stopped: after `stallLimit`, it shows
/// the slate if the last picture may not be shown any more, and with constant pacing repeats the last picture at each
/// tick.
final class VideoLoop: Sendable {
    /// The capture thread hangs if it delivers nothing for this time.
    static let stallLimit = MediaTime(milliseconds: 250)

    let settings: RenditionSettings
    let mailbox: FrameMailbox
    private let distributor: Distributor
    let disclosure: Disclosure
    let frameRate: Int
    let clock = Mutex<SessionClock?>(nil)
    private let encoded = Atomic(0)
    private let repeated = Atomic(0)
    private let bytes = Atomic(0)
    private let settled = Atomic(false)
    private let isKeyframeWanted = Atomic(false)
    private let isWholeFrameWanted = Atomic(false)
    /// Nanoseconds in which the encoder worked.
    private let busyNanoseconds = Atomic<Int64>(0)
    /// True while viewers see a slate of this thread.
    let ownSlateIsShown = Atomic(false)
    private let usesFastestPreset = Atomic(false)
    private let frameDivisor = Atomic(1)
    /// The bitrate in kbit/s; 0 for the one with which the encoder was opened.
    private let wantedBitrate = Atomic(0)

    init(
        settings: RenditionSettings, frameRate: Int, mailbox: FrameMailbox, distributor: Distributor,
        disclosure: Disclosure
    ) {
        self.settings = settings
        self.frameRate = frameRate
        self.mailbox = mailbox
        self.distributor = distributor
        self.disclosure = disclosure
    }

    /// The number of frames that x264 encoded, of repeat pictures, and of the bytes of both.
    var counts: (encoded: Int, repeated: Int, bytes: Int) {
        (encoded.load(ordering: .relaxed), repeated.load(ordering: .relaxed), bytes.load(ordering: .relaxed))
    }

    /// True if the quality of the last picture does not improve any more.
    var isSettled: Bool { settled.load(ordering: .relaxed) }

    /// Requests an IDR picture for a reader that joined or lost packets. At most one a second is forced.
    func requestKeyframe() {
        isKeyframeWanted.store(true, ordering: .relaxed)
    }

    /// True if the next frame must be the whole picture, until `takeWholeFrameRequest`: this thread has encoded a slate
    /// itself, or a destination of raw pictures has joined.
    var isWholeFrameRequested: Bool { isWholeFrameWanted.load(ordering: .relaxed) }

    /// Returns true once if the next frame must be the whole picture.
    func takeWholeFrameRequest() -> Bool {
        isWholeFrameWanted.exchange(false, ordering: .relaxed)
    }

    /// Requests the whole picture, or the slate, as the next frame, also if nothing changes.
    func requestWholeFrame() {
        isWholeFrameWanted.store(true, ordering: .relaxed)
    }

    /// Changes the bitrate in kbit/s from the next frame on.
    func setBitrate(_ kilobits: Int) {
        wantedBitrate.store(kilobits, ordering: .relaxed)
    }

    /// The time for which the encoder has worked since the start.
    var busy: MediaTime { MediaTime(nanoseconds: busyNanoseconds.load(ordering: .relaxed)) }

    /// Makes the encoder do less, or as much as it was set to, from the next frame on.
    func reduce(_ reduction: EncoderReduction) {
        usesFastestPreset.store(reduction.usesFastestPreset, ordering: .relaxed)
        frameDivisor.store(reduction.frameDivisor, ordering: .relaxed)
    }

    /// The last value of `setBitrate`.
    var bitrate: Int? {
        let value = wantedBitrate.load(ordering: .relaxed)
        return value == 0 ? nil : value
    }

    /// Starts to replace a capture thread that hangs.
    func begin(clock: SessionClock) {
        self.clock.withLock { $0 = clock }
    }

    /// Starts the thread and opens the encoder on it. Returns the stream's format, or nil if nothing is encoded.
    func start(onFailure: @escaping @Sendable (EncodeError) -> Void) async throws(EncodeError) -> (
        NamedThread, VideoTrackFormat?
    ) {
        try await NamedThread.open(name: "video encoder") {
            [self] (opened: (Result<VideoTrackFormat?, EncodeError>) -> Void) in
            let encoder: VideoEncoder?
            do throws(EncodeError) {
                if let settings = settings.encoding {
                    encoder = try VideoEncoder(settings: settings)
                } else {
                    encoder = nil
                }
            } catch {
                opened(.failure(error))
                return
            }
            opened(.success(encoder?.format))
            do throws(EncodeError) {
                var work = Work(encoder: encoder)
                try run(&work)
            } catch {
                onFailure(error)
            }
        }
    }

    /// The state of the thread from one frame to the next.
    struct Work {
        let encoder: VideoEncoder?
        var raw = RawVideoPacketizer()
        var bitrate = 0
        var usesFastestPreset = false
        /// The time of the last frame that is not a repeat.
        var lastFrameTime: MediaTime?
        var lastTime: MediaTime?
        var isPaused = false
        /// True while the capture thread hangs and this thread makes the ticks.
        var isCovering = false
        /// True if this thread has encoded a slate itself, so the encoder does not have the last picture of the capture
        /// thread.
        var showsOwnSlate = false
        var keyframes = KeyframeRequests()
        /// The revision of the rules for hidden windows that the clips follow.
        var rules = -1
        /// The marks whose packets are still in the encoder.
        var pendingMarks: [PauseMark] = []
    }

    private func run(_ work: inout Work) throws(EncodeError) {
        while true {
            switch mailbox.take(until: stallDeadline(work), holding: hold(after: work.lastFrameTime)) {
            case .item(let item, let consent):
                // The user has asked to hide something that this picture can show.
                let rules = disclosure.rules
                guard consent.follows(rules) else {
                    mailbox.refuse()
                    isWholeFrameWanted.store(true, ordering: .relaxed)
                    continue
                }
                restartClips(rules: rules, &work)
                try show(item, &work)
                // Viewers still see an older picture.
                if work.encoder?.isBehind == true { mailbox.refuse() }
                ownSlateIsShown.store(work.showsOwnSlate, ordering: .relaxed)
            case .resting(let time):
                let isShown = try showAgain(at: time, &work)
                if isShown, work.encoder?.isBehind != true { mailbox.noteShownAgain() }
            case .interrupted: continue
            case .timedOut: try coverStall(&work)
            case .closed:
                if let encoder = work.encoder { deliver(try encoder.finish(), &work) }
                for mark in work.pendingMarks { distributor.distribute(mark) }
                return
            }
        }
    }

    /// Which frames are left out because the encoder is too slow; nil if every frame is encoded.
    private func hold(after last: MediaTime?) -> FrameMailbox.Hold? {
        let divisor = frameDivisor.load(ordering: .relaxed)
        guard divisor > 1, let last, let clock = clock.withLock({ $0 }) else { return nil }
        // Half a tick less, because the times of ticks are rounded.
        let earliest = last + MediaTime(value: Int64(2 * divisor - 1), timescale: Int64(2 * frameRate))
        // The frame of the next tick that is encoded comes in less than half a tick, if there is one.
        return .init(
            earliest: earliest,
            end: clock.origin + (earliest + MediaTime(value: 1, timescale: Int64(frameRate))).nanoseconds)
    }

    // MARK: What is hidden

    /// Called before the first picture that follows new rules. Clips begin with it, since they would show what is
    /// hidden now.
    ///
    /// - Parameter rules: the revision that the picture follows.
    func restartClips(rules: Int, _ work: inout Work) {
        guard work.rules < rules else { return }
        work.rules = rules
        work.encoder?.requestKeyframe()
        distributor.keepClips(rules: rules, after: work.lastTime)
    }

    /// Requests the whole picture for the clips, and ends the wait for a frame, after a change of the rules.
    func noteRules() {
        isWholeFrameWanted.store(true, ordering: .relaxed)
        mailbox.interrupt()
    }

    /// Ends a wait for a frame, after the user has asked to hide something.
    func noteRequest() {
        mailbox.interrupt()
    }

    /// - Parameter needsSlate: true for a pause, which only the slate satisfies.
    func concealment(needsSlate: Bool) -> Concealment {
        if ownSlateIsShown.load(ordering: .relaxed) { return needsSlate ? .done : .covered }
        // Viewers who have seen nothing see nothing else from now on.
        guard let shown = mailbox.shownConsent else { return .done }
        return (needsSlate ? shown.isSlate : shown.follows(disclosure.rules)) ? .done : .pending
    }

    /// Whether the last picture may not be shown at `time`.
    func mustHideLast(at time: MediaTime) -> Bool {
        guard let shown = mailbox.shownConsent, !shown.isSlate else { return false }
        return disclosure.isWithheld(at: time) || !shown.follows(disclosure.rules)
    }

    // MARK: Frames

    private func show(_ item: FrameMailbox.Item, _ work: inout Work) throws(EncodeError) {
        var time = item.time
        let coveredForIt = work.isCovering
        work.isCovering = false
        if let last = work.lastTime, time <= last {
            // If the capture thread hung, this thread has already used the frame's tick, so the frame is shown at the
            // next tick. A pause can have started since the frame was made, or ended, if the frame is the slate of that
            // pause. A tick has only one frame, so the next frame can be one tick late.
            time = tick(after: last)
            guard coveredForIt, case .frame = item, !disclosure.isWithheld(at: time),
                !disclosure.isWithheld(at: item.time)
            else {
                isWholeFrameWanted.store(true, ordering: .relaxed)
                return
            }
        }
        try fillMissedTicks(before: time, &work)
        switch item {
        case .frame(let frame):
            let isWhole = work.showsOwnSlate
            work.showsOwnSlate = false
            try encode(frame.at(time, isWhole: isWhole), &work)
        case .unchanged:
            // The encoder does not have the picture that did not change.
            if work.showsOwnSlate { isWholeFrameWanted.store(true, ordering: .relaxed) }
            try encodeRepeat(at: time, &work)
        }
    }

    /// Shows the last picture again at a tick in which the capture thread rests, unless the thread must look first: it
    /// is on its way then, and `coverStall` covers for it if it hangs.
    ///
    /// - Returns: false if it is not shown.
    private func showAgain(at time: MediaTime, _ work: inout Work) throws(EncodeError) -> Bool {
        guard let last = work.lastTime, last < time, !work.showsOwnSlate, !mustHideLast(at: time),
            disclosure.pauses.isPaused(at: time) == work.isPaused
        else {
            mailbox.cancelRest()
            return false
        }
        work.isCovering = false
        // An encoder that is too slow leaves ticks out, as those that the capture thread misses.
        if let clock = clock.withLock({ $0 }), time < oldestFilled(before: clock.now, work) { return false }
        try fillMissedTicks(before: time, &work)
        try encodeRepeat(at: time, &work)
        return true
    }

    func encode(_ frame: SampleBuffer, _ work: inout Work) throws(EncodeError) {
        prepare(at: frame.presentationTime, &work)
        work.lastFrameTime = frame.presentationTime
        let start = SessionClock.monotonic()
        let packets = try work.encoder?.encode(frame) ?? []
        busyNanoseconds.add(SessionClock.monotonic() - start, ordering: .relaxed)
        let rawPacket = takesRaw(&work) ? work.raw.packet(for: frame) : nil
        finish(packets, rawPacket, at: frame.presentationTime, &work)
    }

    func encodeRepeat(at time: MediaTime, _ work: inout Work) throws(EncodeError) {
        prepare(at: time, &work)
        let start = SessionClock.monotonic()
        let packets = try work.encoder?.encodeRepeat(at: time) ?? []
        busyNanoseconds.add(SessionClock.monotonic() - start, ordering: .relaxed)
        let rawPacket = takesRaw(&work) ? work.raw.repeatPacket(at: time) : nil
        finish(packets, rawPacket, at: time, &work)
    }

    /// True if a destination takes raw pictures.
    private func takesRaw(_ work: inout Work) -> Bool {
        if !distributor.tracks(.raw).isEmpty { return true }
        // One that joins later must not get the picture of now.
        work.raw.forget()
        return false
    }

    /// A pause starts and ends with a keyframe, so that a recording can be cut there. All frames of one time get the
    /// same result, because a pause starts and ends only at future times.
    private func prepare(at time: MediaTime, _ work: inout Work) {
        // If the capture thread hangs after a pause, only the slate can be repeated. Extend the pause, so that
        // recordings do not contain the slate.
        let isPaused = disclosure.pauses.isPaused(at: time) || work.isPaused && (work.isCovering || work.showsOwnSlate)
        if isPaused != work.isPaused {
            work.isPaused = isPaused
            // The times of encoded packets are whole microseconds. The mark must not be later than the packet after it.
            let start = MediaTime(nanoseconds: time.nanoseconds / 1000 * 1000)
            let mark: PauseMark = isPaused ? .paused(at: start) : .resumed(at: start)
            work.encoder?.requestKeyframe()
            distributor.distribute(mark, .raw)
            if work.encoder == nil { distributor.distribute(mark) } else { work.pendingMarks.append(mark) }
        }
        if isKeyframeWanted.exchange(false, ordering: .relaxed) { work.keyframes.request() }
        if work.keyframes.isDue(at: time) { work.encoder?.requestKeyframe(from: time) }
        let wanted = wantedBitrate.load(ordering: .relaxed)
        if wanted != work.bitrate { work.encoder?.setBitrate(wanted) }
        work.bitrate = wanted
        let isFastest = usesFastestPreset.load(ordering: .relaxed)
        if isFastest != work.usesFastestPreset { work.encoder?.setFastest(isFastest) }
        work.usesFastestPreset = isFastest
    }

    func finish(_ packets: [EncodedPacket], _ rawPacket: EncodedPacket?, at time: MediaTime, _ work: inout Work) {
        work.lastTime = time
        deliver(packets, &work)
        if let rawPacket { distributor.distribute([rawPacket], .raw) }
        settled.store(work.encoder?.isSettled ?? true, ordering: .relaxed)
        if let encoder = work.encoder {
            encoded.store(encoder.encodedFrames, ordering: .relaxed)
            repeated.store(encoder.repeatedFrames, ordering: .relaxed)
        }
    }

    /// Inserts each mark before the first packet that it concerns.
    private func deliver(_ packets: [EncodedPacket], _ work: inout Work) {
        bytes.add(packets.reduce(0) { $0 + $1.data.count }, ordering: .relaxed)
        for packet in packets {
            while let mark = work.pendingMarks.first, packet.presentationTime >= mark.time {
                distributor.distribute(mark)
                work.pendingMarks.removeFirst()
            }
            if packet.isKeyframe { work.keyframes.noteKeyframe() }
            if distributor.distribute([packet]) { requestKeyframe() }
        }
    }
}
