import Capture
import Concurrency
import Media
import Upload
import WindowPrivacy

/// What a host asks of a session while it runs.
extension BroadcastSession {
    /// Pauses: viewers see a slate and hear silence, recordings leave the stretch out. False if the session is not live.
    ///
    /// From the call on nothing of the screen is grabbed; the slate begins with the next tick. The report comes after that.
    package func pause() -> Bool {
        pausing.withLock { _ in
            guard transition(to: .paused) else { return false }
            disclosure.pauses.pause(at: pipeline.nextTick(after: now), requested: now)
            channel.send(.state(.paused))
            return true
        }
    }

    /// Resumes after a pause, with a keyframe. False if the session is not paused.
    package func resume() -> Bool {
        pausing.withLock { _ in
            guard transition(to: .live, from: .paused) else { return false }
            disclosure.pauses.resume(at: pipeline.nextTick(after: now))
            channel.send(.state(.live))
            return true
        }
    }

    /// The desktop reported that the screen is locked, or unlocked. Viewers get a slate and silence meanwhile; a user's pause is independent of it.
    package func setDesktopLocked(_ locked: Bool) {
        disclosure.isDesktopLocked.store(locked, ordering: .relaxed)
    }

    /// Turns the microphone on or off.
    ///
    /// - Parameter choose: gets whether it is on, returns whether it should be.
    /// - Returns: whether it is on now; nil if the session has no sound that it could be part of.
    package func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        pipeline.setMicrophone(choose)
    }

    /// Gives every destination metadata from the user.
    package func annotate(_ information: [String: String]) {
        for destination in destinations { destination.queue.push(.annotated(information)) }
        channel.send(.annotation(information))
    }

    /// Gives every destination the application on screen, in the detail of its plan.
    package func annotate(_ application: ApplicationInformation) {
        for destination in destinations {
            let values = application.annotations(destination.plan.applicationDetail)
            if !values.isEmpty { destination.queue.push(.annotated(values)) }
        }
        channel.send(.annotation(application.annotations(.full)))
    }

    /// Hides more windows, or removes a rule. Returns once every picture follows the rules, or after a second if the session makes none.
    ///
    /// - Returns: false if nothing changed; nil if the source is not a screen.
    package func changeHiddenWindows(_ change: (HiddenWindowRules) -> Bool) async -> Bool? {
        guard case .screen(let request) = configuration.picture else { return nil }
        guard change(request.hiddenWindows) else { return false }
        await request.hiddenWindows.waitUntilApplied(within: .seconds(1))
        return true
    }

    /// Saves the last `span` of the broadcast as a playable MP4 at `path`, from the keyframe before it on. The broadcast goes on.
    ///
    /// It writes on a thread of its own.
    ///
    /// - Returns: nil if the session keeps nothing for clips, or has nothing yet.
    package func saveClip(last span: MediaTime, to path: String) async throws(UploadError) -> SavedClip? {
        guard !writes(path) else { throw .cannotCreate(path: path, .inUse) }
        guard let (excerpt, stream) = pipeline.excerpt(last: span) else { return nil }
        let executor = ThreadExecutor(name: "clip")
        executor.start()
        defer { executor.shutDown() }
        let result = await Task(executorPreference: executor) { () -> Result<Void, UploadError> in
            do throws(UploadError) {
                let file = FileHandler(path: path, format: .mp4)
                try await file.started(stream)
                for packet in excerpt.packets { try await file.process(packet) }
                try await file.finished(deadline: .seconds(5))
                return .success(())
            } catch {
                return .failure(error)
            }
        }.value
        try result.get()
        let clip = SavedClip(path: path, start: excerpt.start, duration: excerpt.duration)
        channel.send(.clip(clip))
        return clip
    }
}

extension ApplicationInformation {
    /// The annotations that describe the application.
    fileprivate func annotations(_ detail: ApplicationDetail) -> [String: String] {
        guard detail != .none else { return [:] }
        var result = ["application": id]
        result["applicationName"] = name
        if detail == .full { result["applicationTitle"] = title }
        return result
    }
}
