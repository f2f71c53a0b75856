import Capture
import Encode
import Media
import Mix

/// The ticks for which the capture thread delivered no frame.
extension VideoLoop {
    /// With constant pacing, shows the last picture again at each tick that the capture thread skipped, or whose frame
    /// was replaced by a newer one. So a stream without timestamps keeps its speed.
    func fillMissedTicks(before time: MediaTime, _ work: inout Work) throws(EncodeError) {
        guard settings.pacing == .constant, let encoder = work.encoder, var last = work.lastTime else { return }
        let oldest = oldestFilled(before: time, work)
        while case let missed = tick(after: last), missed < time {
            last = missed
            // A pause starts and ends with its own frame.
            guard missed >= oldest, disclosure.pauses.isPaused(at: missed) == work.isPaused else { continue }
            finish(try encoder.fill(at: missed), nil, at: missed, &work)
        }
    }

    /// The time of the oldest tick that is filled. An overloaded machine has no time for repeats that must be encoded.
    /// After `stallLimit`, `coverStall` shows them.
    func oldestFilled(before time: MediaTime, _ work: Work) -> MediaTime {
        time - (work.encoder?.fillsWithoutEncoding == false ? Self.stallLimit : MediaTime(milliseconds: 1000))
    }

    func tick(after time: MediaTime) -> MediaTime {
        MediaTime(value: time.value(timescale: Int64(frameRate)) + 1, timescale: Int64(frameRate))
    }

    /// The time in nanoseconds of `CLOCK_MONOTONIC` at which a picture is due even if the capture thread delivers none.
    /// Nil if the encoder waits for the capture thread without a limit.
    func stallDeadline(_ work: Work) -> Int64? {
        guard let last = work.lastTime, let clock = clock.withLock({ $0 }) else { return nil }
        // The capture thread delivers a tick without a change at its end.
        func end(ofTick count: Int64, after time: MediaTime) -> Int64 {
            clock.origin + (time + MediaTime(value: count, timescale: Int64(frameRate))).nanoseconds
        }
        var deadline: Int64?
        if settings.pacing == .constant {
            deadline = work.isCovering ? end(ofTick: 3, after: last) : end(ofTick: 2, after: last + Self.stallLimit)
        }
        // A pause that was requested begins with the next tick.
        if !work.showsOwnSlate, disclosure.pauses.isRequested || mustHideLast(at: clock.now),
            mailbox.shownConsent?.isSlate == false
        {
            let hiding = max(disclosure.requestTime + Self.stallLimit.nanoseconds, end(ofTick: 3, after: last))
            deadline = min(deadline ?? .max, hiding)
        }
        return deadline
    }

    /// Fills the ticks that the capture thread missed, without the current one and the one before it, which it can
    /// still deliver. Without constant pacing, shows the slate once if the last picture may not be shown any more.
    func coverStall(_ work: inout Work) throws(EncodeError) {
        guard let clock = clock.withLock({ $0 }), let last = work.lastTime else { return }
        let rate = Int64(frameRate)
        let newest = clock.now.lastTick(timescale: rate) - 2
        // After a suspension of the machine, fill at most one second.
        var index = settings.pacing == .constant ? max(last.lastTick(timescale: rate) + 1, newest - rate) : newest
        while index <= newest {
            let time = MediaTime(value: index, timescale: rate)
            index += 1
            guard time > last else { continue }
            work.isCovering = true
            if !work.showsOwnSlate, disclosure.isWithheld(at: time) || mustHideLast(at: time) {
                work.showsOwnSlate = true
                restartClips(rules: disclosure.rules, &work)
                try encode(PrivacySlate.sample(size: settings.size, chroma: settings.chroma, at: time), &work)
                ownSlateIsShown.store(true, ordering: .relaxed)
            } else if settings.pacing == .constant {
                try encodeRepeat(at: time, &work)
            }
        }
        work.isCovering = true
    }
}

extension SampleBuffer {
    /// Returns the same picture at another time.
    ///
    /// - Parameter isWhole: true if the whole picture counts as changed.
    func at(_ time: MediaTime, isWhole: Bool) -> SampleBuffer {
        guard case .picture(let old) = payload else { return self }
        let picture = isWhole ? Picture(size: old.size, patches: old.patches, damage: .whole(old.size)) : old
        return SampleBuffer(track: track, presentationTime: time, payload: .picture(picture))
    }
}
