import Capture
import Encode
import Media
import Mix

/// The ticks for which the capture thread delivered no frame.
extension VideoLoop {
    /// With constant pacing, shows the last picture again at each tick that the capture thread skipped, or whose frame was
    /// replaced by a newer one. So a stream without timestamps keeps its speed.
    func fillMissedTicks(before time: MediaTime, _ work: inout Work) throws(EncodeError) {
        guard settings.pacing == .constant, let encoder = work.encoder, var last = work.lastTime else { return }
        // An overloaded machine has no time for repeats that must be encoded. After `stallLimit`, `coverStall` shows them.
        let oldest = time - (encoder.fillsWithoutEncoding ? MediaTime(milliseconds: 1000) : Self.stallLimit)
        while case let missed = tick(after: last), missed < time {
            last = missed
            // A pause starts and ends with its own frame.
            guard missed >= oldest, disclosure.pauses.isPaused(at: missed) == work.isPaused else { continue }
            finish(try encoder.fill(at: missed), nil, at: missed, &work)
        }
    }

    func tick(after time: MediaTime) -> MediaTime {
        MediaTime(value: time.value(timescale: Int64(frameRate)) + 1, timescale: Int64(frameRate))
    }

    /// The time in nanoseconds of `CLOCK_MONOTONIC` at which a picture is due even if the capture thread delivers none. Nil if
    /// the encoder waits for the capture thread without a limit.
    func stallDeadline(_ work: Work) -> Int64? {
        guard settings.pacing == .constant, let last = work.lastTime, let clock = clock.withLock({ $0 }) else { return nil }
        // The capture thread delivers a tick without a change at its end.
        let patience = MediaTime(value: work.isCovering ? 3 : 2, timescale: Int64(frameRate)) + (work.isCovering ? .zero : Self.stallLimit)
        return clock.origin + (last + patience).nanoseconds
    }

    /// Fills the ticks that the capture thread missed, without the current one and the one before it, which it can still
    /// deliver.
    func coverStall(_ work: inout Work) throws(EncodeError) {
        guard let clock = clock.withLock({ $0 }), let last = work.lastTime else { return }
        let rate = Int64(frameRate)
        let newest = clock.now.lastTick(timescale: rate) - 2
        // After a suspension of the machine, fill at most one second.
        var index = max(last.lastTick(timescale: rate) + 1, newest - rate)
        while index <= newest {
            let time = MediaTime(value: index, timescale: rate)
            index += 1
            guard time > last else { continue }
            work.isCovering = true
            if disclosure.isWithheld(at: time), !work.showsOwnSlate {
                work.showsOwnSlate = true
                try encode(PrivacySlate.sample(size: settings.size, chroma: settings.chroma, at: time), &work)
            } else {
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
