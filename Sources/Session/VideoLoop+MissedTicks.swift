import Encode
import Media
import Mix

/// Ticks for which the capture thread left no frame.
extension VideoLoop {
    /// With constant pacing, shows the last picture again at each tick that the capture thread skipped, or whose frame was replaced by a newer
    /// one: a stream without timestamps keeps its speed.
    func fillMissedTicks(before time: MediaTime, _ work: inout Work) throws(EncodeError) {
        guard settings.pacing == .constant, let encoder = work.encoder, var last = work.lastTime else { return }
        // A repeat that has to be encoded costs time, which an overloaded machine does not have. After `stallLimit`, `coverStall` takes over.
        let oldest = time - (encoder.fillsWithoutEncoding ? MediaTime(milliseconds: 1000) : Self.stallLimit)
        while case let missed = tick(after: last), missed < time {
            last = missed
            // What a pause begins or ends with is a frame of its own.
            guard missed >= oldest, disclosure.pauses.isPaused(at: missed) == work.isPaused else { continue }
            finish(try encoder.fill(at: missed), nil, at: missed, &work)
        }
    }

    func tick(after time: MediaTime) -> MediaTime {
        MediaTime(value: time.value(timescale: Int64(frameRate)) + 1, timescale: Int64(frameRate))
    }

    /// When a picture is due although the capture thread left none, on `CLOCK_MONOTONIC`; nil if the encoder waits for the capture thread without limit.
    func stallDeadline(_ work: Work) -> Int64? {
        guard settings.pacing == .constant, let last = work.lastTime, let clock = clock.withLock({ $0 }) else { return nil }
        let patience = work.isCovering ? MediaTime(value: 2, timescale: Int64(frameRate)) : Self.stallLimit
        return clock.origin + (last + patience).nanoseconds
    }

    /// Fills the ticks that the capture thread missed, up to the one before now, which it may still serve.
    func coverStall(_ work: inout Work) throws(EncodeError) {
        guard let clock = clock.withLock({ $0 }), let last = work.lastTime else { return }
        let rate = Int64(frameRate)
        let newest = clock.now.lastTick(timescale: rate) - 1
        // A machine that slept gets one second of repeats at most.
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
