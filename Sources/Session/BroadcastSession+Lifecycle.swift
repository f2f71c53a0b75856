import Capture
import Media
import Upload

/// What is asked of a session from outside while it runs.
extension BroadcastSession {
    /// Pauses: viewers see a slate and hear silence, recordings leave the stretch out. False where it was not live.
    package func pause() -> Bool {
        guard change(to: .paused) else { return false }
        pipeline.setPaused(true)
        let time = now
        for destination in destinations { destination.queue.push(.paused(at: time)) }
        return true
    }

    /// Goes on after a pause. False where it was not paused.
    package func resume() -> Bool {
        guard change(to: .live) else { return false }
        let time = now
        for destination in destinations { destination.queue.push(.resumed(at: time)) }
        pipeline.setPaused(false)
        return true
    }

    /// The desktop says that the screen is locked, or no longer: viewers get a slate and silence meanwhile. A user's pause is a thing of its own.
    package func setDesktopLocked(_ locked: Bool) {
        pipeline.setDesktopLocked(locked)
    }

    /// Turns the microphone on or off. Nil where the session has no sound that it could be part of; else whether it is on now.
    package func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        pipeline.setMicrophone(choose)
    }

    /// Gives every destination metadata that the user or an application has.
    package func annotate(_ information: [String: String]) {
        for destination in destinations { destination.queue.push(.annotated(information)) }
        observer(.annotation(information))
    }

    /// Hides more windows, or takes a rule away. Returns once every picture follows the rules, or after a second where none is made.
    ///
    /// - Returns: false where nothing changed; nil where the picture is no screen's.
    package func changeHiddenWindows(_ change: (HiddenWindowRules) -> Bool) async -> Bool? {
        guard case .screen(let request) = configuration.picture else { return nil }
        guard change(request.hiddenWindows) else { return false }
        let deadline = ContinuousClock.now + .seconds(1)
        while !request.hiddenWindows.isApplied && ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(5)) }
        return true
    }

    /// A stretch of the past that was saved.
    package struct Clip: Sendable {
        package var path: String
        /// On the session's clock.
        package var start: MediaTime
        package var duration: MediaTime
    }

    /// Saves the last `span` of the broadcast as a playable MP4 at `path`, from the keyframe before it on, while it goes on.
    ///
    /// Nil where the session keeps nothing for clips, or has nothing yet.
    package func saveClip(last span: MediaTime, to path: String) async throws(UploadError) -> Clip? {
        guard !destinations.contains(where: { $0.plan.path.map { FileIdentity.areOne($0, path) } ?? false }) else {
            throw .cannotCreate(path: path, reason: "the broadcast itself is being written there")
        }
        guard let (excerpt, stream) = pipeline.excerpt(last: span) else { return nil }
        let file = FileHandler(path: path, format: .mp4)
        try await file.started(stream)
        for packet in excerpt.packets { try await file.process(packet) }
        try await file.finished(deadline: .seconds(5))
        let clip = Clip(path: path, start: excerpt.start, duration: excerpt.duration)
        observer(.clip(clip))
        return clip
    }
}
