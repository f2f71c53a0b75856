/// Holds sound until the pictures of its time have arrived. A value.
///
/// Pauses and cuts are made at pictures, and apply to the sound of the same time. An encoder with lookahead delivers a
/// picture up to half a second after its sound.
package struct SoundHold: Sendable {
    /// Sound is not held for longer than this: a still picture has no frames.
    private static let limit = MediaTime(milliseconds: 1000)

    private var newestPicture: MediaTime?
    /// In the order in which they arrived.
    private var held: [EncodedPacket] = []

    package init() {}

    /// Returns the packets that may be processed now, in order.
    package mutating func add(_ packet: EncodedPacket) -> [EncodedPacket] {
        let time = packet.presentationTime
        if packet.track == .screen {
            let newest = max(newestPicture ?? time, time)
            newestPicture = newest
            return [packet] + release(upTo: newest)
        }
        held.append(packet)
        return release(upTo: max(newestPicture ?? .zero, time - Self.limit))
    }

    /// Returns all packets that are held. Call it at the end of the stream.
    package mutating func flush() -> [EncodedPacket] {
        defer { held = [] }
        return held
    }

    private mutating func release(upTo time: MediaTime) -> [EncodedPacket] {
        let released = held.filter { $0.presentationTime <= time }
        if !released.isEmpty { held.removeAll { $0.presentationTime <= time } }
        return released
    }
}
