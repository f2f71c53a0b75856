import Media

/// Keeps the QP of a picture of which a small part changes with every frame, for example a clock.
///
/// x264 skips a macroblock that does not change only if the QP is not lower than in the frame before; otherwise it analyses it
/// again. Its rate control changes the QP in small steps, and each step down costs the analysis of the whole picture. A held QP
/// makes one large step of them, when the bitrate has saved enough for it.
package struct QuantizerHold {
    /// A change of at most one of this many parts of the picture is a small one.
    private static let smallShare = 16
    /// The QP below which the picture does not become visibly better.
    private static let lowestQuantizer = 11
    /// The part of the buffer below which x264 chooses the QP after a large frame.
    private static let lowestLevel = 0.2
    /// The number of large frames in a row after which the QP is released. After a step, x264 needs some of them, because it raises
    /// the QP within a frame that becomes too large.
    private static let patience = 4
    /// The number of frames for which x264 chooses the QP if holding it, or lowering it, was in vain.
    private static let pause = 15

    /// Frames a second.
    private let frameRate: Int
    /// The size of a frame up to which its QP is held, in bytes.
    private var limit: Int
    private var held: Int?
    private var pauseFrames = 0
    private var largeFrames = 0
    /// True if the last frame changed a small part.
    private var isSmall = false
    private var isHeld = false

    /// The QP of the last frame if it was held.
    package var current: Int? { isHeld ? held : nil }

    /// - Parameters:
    ///   - kilobits: the bitrate in kbit/s.
    ///   - frameRate: frames a second.
    package init(kilobits: Int, frameRate: Int) {
        self.frameRate = frameRate
        limit = Self.limit(kilobits, frameRate)
    }

    private static func limit(_ kilobits: Int, _ frameRate: Int) -> Int { kilobits * 125 / frameRate / 3 }

    package mutating func setBitrate(_ kilobits: Int) {
        limit = Self.limit(kilobits, frameRate)
    }

    /// Returns the QP of the next frame; nil if x264 chooses it.
    ///
    /// - Parameters:
    ///   - changed: what differs from the last frame; empty for a frame that only becomes sharper.
    ///   - isIDR: true if the frame is an IDR picture.
    ///   - level: the part of the buffer that the bitrate has filled.
    package mutating func quantizer(changed: DamageRegion, isIDR: Bool, level: Double) -> Int? {
        isHeld = false
        let area = changed.rectangles.reduce(0) { $0 + $1.area }
        isSmall = !isIDR && area > 0 && area * Self.smallShare <= changed.size.area
        guard isSmall else {
            if isIDR || area > 0 { (held, pauseFrames, largeFrames) = (nil, 0, 0) }
            return nil
        }
        guard pauseFrames == 0 else {
            pauseFrames -= 1
            return nil
        }
        // With a full buffer, x264 may find a lower one.
        guard let held, level >= Self.lowestLevel || largeFrames == 0, level < 0.95 || held <= Self.lowestQuantizer else { return nil }
        isHeld = true
        return held
    }

    /// Notes what x264 made of the frame.
    ///
    /// - Parameters:
    ///   - size: bytes.
    ///   - target: for a keyframe, the held QP of the frames before it.
    package mutating func note(size: Int, quantizer: Int, target: Int? = nil) {
        // A keyframe that is as sharp as the frames before it needs no step.
        if let target, quantizer <= target { held = quantizer }
        guard isSmall else { return }
        guard isHeld else {
            if let held, quantizer >= held { pauseFrames = Self.pause } else { held = quantizer }
            return
        }
        largeFrames = size > limit ? largeFrames + 1 : 0
        if largeFrames >= Self.patience { (held, pauseFrames, largeFrames) = (nil, Self.pause, 0) }
    }
}
