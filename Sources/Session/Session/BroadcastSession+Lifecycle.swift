import Capture
import Media
import Upload
import WindowPrivacy

/// The commands to a running session.
extension BroadcastSession {
    /// Pauses the session: viewers get a slate and silence, and recordings omit the interval. Returns false if the
    /// session is not live.
    ///
    /// From this call on, nothing of the screen is grabbed. The slate starts with the next tick, and `waitUntilHidden`
    /// waits for it. The event is sent last.
    package func pause() -> Bool {
        pausing.withLock { _ in
            guard progress.transition(to: .paused) else { return false }
            disclosure.noteRequest()
            disclosure.pauses.pause(at: pipeline.nextTick(after: now), requested: now)
            pipeline.noteDisclosure()
            channel.send(.state(.paused))
            return true
        }
    }

    /// Resumes after a pause, with a keyframe, as soon as the source can show something. Returns false if the session
    /// is not paused.
    package func resume() -> Bool {
        pausing.withLock { _ in
            guard progress.transition(to: .live, from: .paused) else { return false }
            disclosure.pauses.resume(at: pipeline.firstTick(afterPauseAt: now))
            pipeline.noteDisclosure()
            channel.send(.state(.live))
            return true
        }
    }

    /// Sets whether the screen is locked. Viewers get a slate and silence while it is locked. A pause by the user is
    /// independent of this.
    package func setDesktopLocked(_ locked: Bool) {
        if locked { disclosure.noteRequest() }
        disclosure.isDesktopLocked.store(locked, ordering: .relaxed)
        pipeline.noteDisclosure()
    }

    /// Turns the microphone on or off.
    ///
    /// - Parameter choose: receives true if it is on, and returns true if it should be.
    /// - Returns: true if it is on now; nil if no destination takes sound.
    package func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? {
        pipeline.setMicrophone(choose)
    }

    /// Sends metadata from the user to every destination.
    package func annotate(_ information: [String: String]) {
        for destination in destinations.all { destination.queue.push(.annotated(information)) }
        channel.send(.annotation(information))
    }

    /// Sends the active application to every destination, with the detail that its plan allows. Sends nothing, and
    /// returns false, if a rule was added since: it may hide the window.
    package func annotate(_ application: ApplicationInformation) -> Bool {
        guard application.rules >= rules?.hidingRevision ?? 0 else { return false }
        for destination in destinations.all {
            let values = application.annotations(destination.plan.applicationDetail)
            if !values.isEmpty { destination.queue.push(.annotated(values)) }
        }
        channel.send(.annotation(application.annotations(.full)))
        return true
    }

    /// What viewers see after a request to hide something.
    package enum Hiding: Sendable {
        /// Nothing more of it.
        case done
        /// The slate, until the source gives a picture without it.
        case covered
        /// Perhaps still the picture from before the request: an encoder does not answer.
        case unknown
    }

    /// Hides the windows of a rule. From this call on, no further picture shows them; `waitUntilHidden` waits until the
    /// last one is gone. Clips begin after the request if the rule is new.
    ///
    /// - Returns: false if the rule exists already; nil if the source is not a screen.
    package func hide(_ rule: HiddenWindowRule) -> Bool? {
        guard let rules else { return nil }
        let isNew = rules.hide(rule)
        // Also for a rule that another request has just added.
        pipeline.require(rules: rules.hidingRevision)
        return isNew
    }

    /// Removes a rule. Returns false if there is no such rule; nil if the source is not a screen.
    package func unhide(_ rule: HiddenWindowRule) -> Bool? {
        guard let rules else { return nil }
        guard rules.unhide(rule) else { return false }
        pipeline.noteDisclosure()
        return true
    }

    /// Suspends until viewers see nothing more of what was hidden or, with `isPause`, until they see the slate: for one
    /// second at most, and two if an encoder does not answer.
    package func waitUntilHidden(isPause: Bool) async -> Hiding {
        let clock = ContinuousClock()
        let begin = clock.now
        while true {
            let states = pipeline.renditions.map { $0.concealment(needsSlate: isPause) }
            let waited = begin.duration(to: clock.now)
            if !states.contains(where: { $0 != .done }) { return .done }
            if waited >= .seconds(1), !states.contains(.pending) { return .covered }
            // A resume or an end is what the user wants by now.
            if waited >= .seconds(2) || isPause && state != .paused {
                return state.isOver || isPause && state != .paused ? .done : .unknown
            }
            // The threads of the encoders do not wait for anybody who watches them.
            try? await clock.sleep(for: .milliseconds(10))
        }
    }

    /// True if `saveClip` can save something.
    package var keepsClips: Bool { configuration.media.clipBuffer != nil }

    /// Saves the last `span` of the broadcast, from the keyframe before it, as an MP4 file at `path`. The broadcast
    /// continues. Clips are written one after another, because each keeps its part of the broadcast in memory.
    ///
    /// - Returns: nil if clips are off, or if there are fewer than two pictures yet.
    /// - Throws: an error if the file cannot be written.
    package func saveClip(last span: MediaTime, to path: String) async throws(UploadError) -> SavedClip? {
        let time = now
        let turn = await clipTurns.next()
        defer { turn.end() }
        guard await !destinations.isWriting(path) else { throw .cannotCreate(path: path, .inUse) }
        guard let excerpt = pipeline.excerpt(last: span, until: time) else { return nil }
        try await FileHandler.write(excerpt.packets, of: excerpt.stream, to: path)
        let clip = SavedClip(path: path, start: excerpt.start, duration: excerpt.duration)
        channel.send(.clip(clip))
        return clip
    }
}

extension ApplicationInformation {
    /// Returns the annotations that describe the application.
    fileprivate func annotations(_ detail: ApplicationDetail) -> [String: String] {
        guard detail != .none else { return [:] }
        var result = ["application": id]
        result["applicationName"] = name
        if detail == .full { result["applicationTitle"] = title }
        return result
    }
}
