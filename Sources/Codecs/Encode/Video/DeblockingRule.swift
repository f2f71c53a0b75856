import Media

/// Decides whether decoders should smooth the edges between the blocks of a frame (Rec. ITU-T H.264, 8.7).
///
/// That makes blocks of a moving picture less visible, but text less sharp: it is off where almost nothing moves and
/// the QP is low, and where a sharp picture continues to move.
package struct DeblockingRule: Sendable {
    /// Above this QP, the edges between blocks are visible.
    private static let smoothQuantizer = 26
    /// Up to this QP, smoothing changes almost nothing: up to 15, nothing at all (Rec. ITU-T H.264, table 8-16).
    private static let sharpQuantizer = 20

    /// True if a larger part of the last picture changed.
    private var moves = false
    /// The QP of the last encoded frame.
    package private(set) var lastQuantizer = 51

    package init() {}

    /// Returns true if the edges of the next frame should be smoothed.
    ///
    /// - Parameter changed: what differs from the last picture.
    package mutating func isOn(changed: DamageRegion) -> Bool {
        let moved = moves
        moves = !changed.isSmall
        guard moves else { return lastQuantizer > Self.smoothQuantizer }
        // The first frame of a movement has a higher QP than the last frame.
        return !moved || lastQuantizer > Self.sharpQuantizer
    }

    /// Notes the QP of an encoded frame.
    package mutating func note(quantizer: Int) {
        lastQuantizer = quantizer
    }

    /// Notes a repeat picture.
    package mutating func noteRepeat() {
        moves = false
    }
}
