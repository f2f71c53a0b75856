import Media
import Synchronization

/// Hands each packet to every destination that wants it. Encoders call it; nobody waits.
final class Distributor: Sendable {
    private let outlets: [Outlet]
    private let clips: ClipBuffer?
    private let keyframeWanted = Atomic(false)

    /// One destination's queue, and which packets belong in it.
    struct Outlet: Sendable {
        var queue: PacketQueue
        var takesVideo: Bool
        var takesRawVideo: Bool
        var takesAudio: Bool
        var takesRawAudio: Bool
    }

    /// - Parameter clips: keeps the last stretch of everything that is encoded.
    init(outlets: [Outlet], clips: ClipBuffer?) {
        self.outlets = outlets
        self.clips = clips
    }

    func distributeVideo(_ packets: [EncodedPacket]) {
        for packet in packets {
            clips?.push(packet)
            for outlet in outlets where outlet.takesVideo && !outlet.takesRawVideo && outlet.queue.push(packet) { requestKeyframe() }
        }
    }

    func distributeRawVideo(_ packet: EncodedPacket) {
        for outlet in outlets where outlet.takesVideo && outlet.takesRawVideo { outlet.queue.push(packet) }
    }

    func distributeAudio(_ packets: [EncodedPacket]) {
        for packet in packets {
            clips?.push(packet)
            for outlet in outlets where outlet.takesAudio && !outlet.takesRawAudio { outlet.queue.push(packet) }
        }
    }

    /// True where a destination takes PCM.
    var wantsRawAudio: Bool { outlets.contains { $0.takesAudio && $0.takesRawAudio } }

    func distributeRawAudio(_ packet: EncodedPacket) {
        for outlet in outlets where outlet.takesAudio && outlet.takesRawAudio { outlet.queue.push(packet) }
    }

    /// A reader has joined, or can go on again: the next frame is to be an IDR picture.
    func requestKeyframe() {
        keyframeWanted.store(true, ordering: .relaxed)
    }

    /// True once after `requestKeyframe`.
    func takeKeyframeRequest() -> Bool {
        keyframeWanted.exchange(false, ordering: .relaxed)
    }
}
