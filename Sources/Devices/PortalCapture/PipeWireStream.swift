import CPipeWire
import Capture
import Concurrency
import Glibc
import Media

/// The stream of a screen cast. Use it on one thread.
final class PipeWireStream {
    enum State: Equatable {
        case connecting
        case paused
        case streaming
        /// The node is gone.
        case ended
        /// The connection to PipeWire is lost.
        case lost
        case failed(String)
        /// The desktop took the memory of its pictures away, again and again.
        case broken
    }

    /// True if libpipewire is installed.
    static var isAvailable: Bool { cpw_is_available() }

    private let stream: OpaquePointer
    private(set) var isActive = true
    private var supervision = StreamSupervision()

    /// Connects to the stream that the portal shares.
    ///
    /// - Parameter maximumRate: the frame rate to ask for. A compositor sends at most so many pictures, and a lower
    ///   rate than that of the monitor makes them older.
    init(_ grant: PortalGrant, maximumRate: Int) throws(PortalProblem) {
        var text = [CChar](repeating: 0, count: 256)
        guard
            let stream = cpw_open(
                grant.remote.take(), grant.stream.node, grant.stream.serial, Int32(maximumRate), &text, text.count)
        else {
            throw .pipeWireFailed(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        self.stream = stream
    }

    deinit {
        cpw_close(stream)
    }

    var state: State {
        switch cpw_get_state(stream) {
        case CPW_CONNECTING: .connecting
        case CPW_PAUSED: .paused
        case CPW_STREAMING: .streaming
        case CPW_ENDED: .ended
        case CPW_LOST: .lost
        case CPW_BROKEN: .broken
        default: .failed(String(cString: cpw_error(stream)))
        }
    }

    /// The time for which PipeWire has not answered.
    var silence: MediaTime { MediaTime(nanoseconds: cpw_get_silence(stream)) }

    /// True if the flow of this sender cannot be restarted.
    var keepsFlow: Bool { cpw_get_facts(stream).keeps_flow }

    /// Waits until there may be something to take, for at most `limit`, or until `wake` is signalled. Returns true if
    /// there may be something.
    func waitForNews(within limit: MediaTime, or wake: WakeSignal) -> Bool {
        cpw_wait(stream, limit.nanoseconds, wake.descriptor)
    }

    /// The size of the frames; nil until a format is agreed on. The visible part can be smaller.
    var frameSize: PixelSize? {
        var width: Int32 = 0
        var height: Int32 = 0
        guard cpw_get_frame_size(stream, &width, &height) else { return nil }
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Calls `picture` and `cursor` with what is new, one after the other. Their memory is valid during the calls.
    /// `picture` returns false if the compositor took the memory away.
    ///
    /// Before that, it restarts the flow, or replaces the stream, if no picture arrives.
    func take(picture: (cpw_picture) -> Bool, cursor: (cpw_cursor) -> Void) {
        if isActive, let facts = StreamSupervision.Facts(cpw_get_facts(stream)) {
            carryOut(supervision.observed(facts, at: SessionClock.monotonic()))
        }
        var newPicture = cpw_picture()
        var newCursor = cpw_cursor()
        let news = cpw_take(stream, &newPicture, &newCursor)
        guard news != 0 else { return }
        var isLost = false
        if news & Int32(CPW_PICTURE) != 0 {
            supervision.pictureTaken()
            isLost = !picture(newPicture)
            if isLost { cpw_note_lost_memory(stream) }
        }
        if news & Int32(CPW_CURSOR) != 0 { cursor(newCursor) }
        cpw_release(stream)
        if isLost { carryOut(supervision.memoryLost(at: SessionClock.monotonic())) }
    }

    private func carryOut(_ action: StreamSupervision.Action) {
        switch action {
        case .none: break
        case .restartFlow(let missingSince): cpw_restart_flow(stream, missingSince)
        case .replaceStream: cpw_replace_stream(stream)
        case .giveUp(.noMemory): cpw_give_up(stream, CPW_FAILED, "its buffers have no memory")
        case .giveUp(.memoryTakenAway):
            cpw_give_up(stream, CPW_BROKEN, "the desktop takes the memory of its pictures away")
        }
    }

    /// Pauses or continues the flow. A pause discards the picture that was not taken yet.
    func setActive(_ active: Bool) {
        guard active != isActive else { return }
        isActive = active
        cpw_set_active(stream, active)
    }
}
