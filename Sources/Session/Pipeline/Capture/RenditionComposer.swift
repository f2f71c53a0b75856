import Media
import Mix

/// Composes the frames of one rendition, and decides which ticks produce a frame. Use it on the capture thread.
struct RenditionComposer {
    let rendition: Rendition
    private var composer: FrameComposer
    private var pacer: FramePacer
    private var showsSlate = false
    /// What viewers of the newest frame can see.
    private var consent = PictureConsent()
    /// The frame of the last `compose`, for the next `show`; nil if no pixel differs.
    private var composed: SampleBuffer?

    init(_ rendition: Rendition) {
        self.rendition = rendition
        composer = FrameComposer(outputSize: rendition.settings.size, chroma: rendition.settings.chroma)
        pacer = FramePacer(mode: rendition.settings.pacing)
    }

    /// True if the next frame is the whole picture, also if nothing changes.
    var isAwaitingPicture: Bool { showsSlate || rendition.isWholeFrameRequested }

    /// The time at which the source is looked at again if nothing changes; nil for the next tick.
    var nextLook: MediaTime? {
        // With constant pacing, the encoder makes the picture sharper in a rest, too.
        guard pacer.isConstant || rendition.isSettled, !rendition.isWholeFrameRequested else { return nil }
        return pacer.nextLook
    }

    /// Lets the encoder make the frames of these ticks. With variable pacing they have none.
    func rest(_ ticks: Range<Int64>, rate: Int64, origin: Int64) {
        if pacer.isConstant { rendition.mailbox.rest(ticks, rate: rate, origin: origin) }
    }

    /// The last tick of the rest for which the encoder has made a frame; nil if there is none.
    var lastRestTick: Int64? { rendition.mailbox.lastRestTick }

    /// Ends the rest after `last`. Returns that tick, or a later one if the encoder has already made its frame.
    mutating func endRest(after last: Int64, rate: Int64) -> Int64 {
        guard pacer.isConstant else { return last }
        let shown = max(last, rendition.mailbox.endRest(after: last) ?? last)
        pacer.noteShown(at: MediaTime(value: shown, timescale: rate))
        return shown
    }

    /// Composes a frame for the next `show`. Returns false if no pixel differs from the last frame, and no frame waits
    /// for the encoder.
    mutating func compose(_ sample: CapturedSample) -> Bool {
        composed = composer.compose(sample, replacing: rendition.mailbox.takeBack())
        return composed != nil
    }

    /// Puts the frame that `compose` made for a tick into the mailbox, or reports that nothing changed.
    ///
    /// - Parameters:
    ///   - isWithheld: true if the frame must be the slate.
    ///   - rules: the revision of the rules for hidden windows that the source has applied.
    ///   - time: the time of the tick.
    mutating func show(isWithheld: Bool, rules: Int, at time: MediaTime) {
        var frame = isWithheld ? nil : composed
        composed = nil
        let isWholeWanted = rendition.takeWholeFrameRequest()
        if isWithheld {
            if !showsSlate || isWholeWanted {
                _ = rendition.mailbox.takeBack()
                frame = PrivacySlate.sample(size: composer.outputSize, chroma: composer.chroma, at: time)
            }
        } else if isWholeWanted || showsSlate {
            // The encoder's last frame was a slate, so it needs the whole picture.
            frame = composer.wholeFrame(at: time)
        }
        showsSlate = isWithheld
        consent = PictureConsent(rules: rules, isSlate: isWithheld)
        put(frame, at: time)
    }

    /// Adds nothing at a tick: repeats the picture of the last one, or skips the tick if that was the slate, which a
    /// recording must not contain.
    mutating func hold(at time: MediaTime) {
        composed = nil
        if !showsSlate { put(nil, at: time) }
    }

    /// Shows the picture of the last tick up to that tick, which is the last one.
    mutating func end(at time: MediaTime) {
        if !showsSlate, pacer.ends(at: time) { rendition.mailbox.putLast(at: time) }
    }

    private mutating func put(_ frame: SampleBuffer?, at time: MediaTime) {
        guard pacer.shows(at: time, isChanged: frame != nil, isSettled: rendition.isSettled) else {
            return rendition.mailbox.note(consent, at: time)
        }
        if let frame {
            rendition.noteCaptured()
            rendition.mailbox.put(
                SampleBuffer(track: frame.track, presentationTime: time, payload: frame.payload), consent)
        } else {
            rendition.mailbox.putUnchanged(at: time, consent)
        }
    }
}
