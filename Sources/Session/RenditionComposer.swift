import Media
import Mix

/// What the capture thread keeps for one rendition: how its frames are composed, and which ticks give one.
struct RenditionComposer {
    let rendition: Rendition
    private var composer: FrameComposer
    private var pacer: FramePacer
    private var showsSlate = false

    init(_ rendition: Rendition) {
        self.rendition = rendition
        composer = FrameComposer(outputSize: rendition.settings.size, chroma: rendition.settings.chroma)
        pacer = FramePacer(mode: rendition.settings.pacing)
    }

    /// Leaves the tick's frame for the encoder, or reports that nothing changed.
    ///
    /// - Parameters:
    ///   - sample: what changed, or nil.
    ///   - isWithheld: viewers get the slate, whatever the sample shows.
    mutating func show(_ sample: SampleBuffer?, isWithheld: Bool, at time: MediaTime) {
        var frame: SampleBuffer?
        if isWithheld {
            if !showsSlate {
                _ = rendition.mailbox.takeBack()
                frame = PrivacySlate.sample(size: composer.outputSize, chroma: composer.chroma, at: time)
            }
        } else {
            frame = sample.flatMap { composer.compose($0, replacing: rendition.mailbox.takeBack()) }
            // The encoder saw a slate last: it gets the whole picture, changed or not.
            if rendition.takeWholeFrameRequest() || showsSlate { frame = composer.wholeFrame(at: time) }
        }
        showsSlate = isWithheld
        put(frame, at: time)
    }

    private mutating func put(_ frame: SampleBuffer?, at time: MediaTime) {
        guard pacer.shows(at: time, isChanged: frame != nil, isSettled: rendition.isSettled) else { return }
        if let frame {
            rendition.noteCaptured()
            rendition.mailbox.put(SampleBuffer(track: frame.track, presentationTime: time, payload: frame.payload))
        } else {
            rendition.mailbox.putUnchanged(at: time)
        }
    }
}
