import Capture
import Concurrency
import Media

/// The wait for pictures, and what a source does if they do not arrive, or lie outside of its region.
extension PortalScreenSource {
    package var canWaitForChange: Bool { state.isShared }

    package func waitForChange(until deadline: Int64, or wake: WakeSignal) -> Bool {
        guard state.isShared, let stream else { return false }
        while true {
            let limit = deadline - SessionClock.monotonic()
            guard limit > 0, stream.waitForNews(within: MediaTime(nanoseconds: limit), or: wake) else { return false }
            // Some compositors send the same picture again and again.
            picture.take(from: stream)
            if picture.hasChanges { return true }
        }
    }

    /// A compositor sends its first picture some tens of milliseconds after the flow begins.
    package var resumeDelay: MediaTime { MediaTime(milliseconds: 200) }

    package func prepare(at now: MediaTime) throws(CaptureError) {
        try applyRules()
        try follow(at: now)
        guard state.mayFlow, let stream else { return }
        stream.setActive(true)
        picture.take(from: stream)
    }

    /// Reports what the stream does. Returns the changes if there is something to show.
    func watch(_ stream: PipeWireStream, at now: MediaTime) throws(CaptureError) -> CapturedChange? {
        try carryOut(
            state.flowMeasured(
                silence: stream.silence, isStreaming: stream.state == .streaming, hasPicture: picture.hasPicture,
                at: now))
        let descriptions = outputs?.outputs.changes(of: state.grant.mapping) ?? 0
        try carryOut(state.monitorDescribed(descriptions, pictures: picture.count, at: now))
        guard let visible = picture.visible else {
            try carryOut(state.pictureMissing(keepsFlow: stream.keepsFlow, at: now))
            return nil
        }
        try carryOut(state.picturePresent(isOutside: visible.isEmpty))
        guard state.condition == .shown else { return nil }
        size = visible.size
        return picture.nextChange(at: now)
    }
}
