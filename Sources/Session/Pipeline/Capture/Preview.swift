import Capture
import Concurrency
import Media
import Mix
import WindowPrivacy

/// Takes one picture as viewers would see it, with the same code as a broadcast.
package enum Preview {
    /// The time limit for the first picture of a source.
    private static let frameLimit = MediaTime(milliseconds: 5000)

    /// Opens the source, takes its first frame, and closes it. The capture is not announced to other programs.
    ///
    /// - Parameter notify: receives notices of the opening, on another thread.
    /// - Returns: an I420 frame of the size of the broadcast. It is the slate if viewers would see the slate.
    /// - Throws: an error if the source cannot be opened or delivers no picture in time.
    package static func take(
        _ configuration: MediaConfiguration, notify: @escaping @Sendable (SourceNotice) -> Void = { _ in }
    ) async throws(PipelineError) -> PixelBuffer {
        var configuration = configuration
        if case .screen(var request) = configuration.picture {
            request.isAnnounced = false
            request.keepsAwake = false
            configuration.picture = .screen(request)
        }
        let wanted = configuration
        let (thread, picture) = try await NamedThread.open(name: "preview") {
            (opened: (Result<PixelBuffer, PipelineError>) -> Void) in
            opened(Result { () throws(PipelineError) in try frame(for: wanted, notify) })
        }
        await thread.join()
        return picture
    }

    private static func frame(
        for configuration: MediaConfiguration, _ notify: @escaping @Sendable (SourceNotice) -> Void
    ) throws(PipelineError) -> PixelBuffer {
        let rules = HiddenWindowRules(configuration.hiddenWindows.rules)
        let source = try capturing { () throws(CaptureError) in
            try configuration.picture.open(hiding: rules, opening: SourceOpening(notify: notify))
        }
        let rate = configuration.frameRate ?? source.nominalFrameRate ?? MediaConfiguration.standardFrameRate
        let settings = try RenditionSettings(
            outputs: [], configuration: configuration, sourceSize: source.size, frameRate: rate, keepsClips: false)
        let frame = try capturing { () throws(CaptureError) in
            try firstFrame(of: source, size: settings.size, rate: Int64(rate))
        }
        guard let frame else { throw .nothingToPreview(within: .nanoseconds(frameLimit.nanoseconds)) }
        return frame
    }

    /// Returns nil if the source ends, or delivers no picture in time.
    private static func firstFrame(of source: any ScreenSource, size: PixelSize, rate: Int64) throws(CaptureError)
        -> PixelBuffer?
    {
        let clock = SessionClock()
        var composer = FrameComposer(outputSize: size)
        var index: Int64 = 0
        while clock.now < frameLimit {
            let frame = try source.withNextSample(at: clock.now) { sample -> SampleBuffer? in
                guard let sample else { return nil }
                return composer.compose(sample)
            }
            if case .picture(let picture)? = frame?.payload {
                return picture.patches.first?.pixels
            }
            switch source.condition {
            case .shown: break
            case .withheld: return PrivacySlate.frame(size: size)
            case .ended: return nil
            }
            index += 1
            clock.sleep(until: MediaTime(value: index, timescale: rate))
        }
        return nil
    }

    private static func capturing<Value>(_ body: () throws(CaptureError) -> Value) throws(PipelineError) -> Value {
        do throws(CaptureError) {
            return try body()
        } catch {
            throw .capture(error)
        }
    }
}
