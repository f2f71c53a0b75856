import Media

/// Keeps the QP of a picture of which a small part changes with every frame, for example a clock.
///
/// x264 skips a macroblock that does not change only if the QP is not lower than in the frame before; otherwise it
/// analyses it again. Its rate control changes the QP in small steps, and each step down costs the analysis of the
/// whole picture. With a held QP, there is one large step instead, when the bitrate has saved enough for it.
package struct QuantizerHold {
    /// The QP below which the picture does not become visibly better.
    private static let lowestQuantizer = 11
    /// The part of the buffer below which x264 chooses the QP after a large frame.
    private static let lowestLevel = 0.2
    /// The part of the buffer from which x264 may choose a lower QP.
    private static let fullLevel = 0.95
    /// The number of large frames in a row after which the QP is released. After a step, x264 needs some of them,
    /// because it raises the QP within a frame that becomes too large.
    private static let largeFrameLimit = 4
    /// The number of frames for which x264 chooses the QP after that.
    private static let releaseFrames = 15
    /// The number of frames until x264 may choose a lower QP again if it found none.
    private static let retryFrames = 15

    /// Frames a second.
    private let frameRate: Int
    /// The size above which a frame is a large one, in bytes.
    private var limit: Int
    private var held: Int?
    private var framesUntilHold = 0
    private var framesUntilRetry = 0
    private var largeFrames = 0
    private var kind = Kind.large
    /// True if the QP of the last frame was held.
    private var isHeld = false
    /// True if a keyframe shows the picture of which a small part changes.
    private var hasKeyframe = false

    /// What a frame is.
    private enum Kind {
        /// A small part of the picture changed.
        case small
        case keyframe
        /// Nothing changed; the picture becomes sharper.
        case refinement
        case large
    }

    /// - Parameters:
    ///   - kilobits: the bitrate in kbit/s.
    ///   - frameRate: frames a second.
    package init(kilobits: Int, frameRate: Int) {
        self.frameRate = frameRate
        limit = Self.limit(kilobits, frameRate)
    }

    /// A third of what the bitrate allows for each frame.
    private static func limit(_ kilobits: Int, _ frameRate: Int) -> Int { kilobits * 125 / frameRate / 3 }

    package mutating func setBitrate(_ kilobits: Int) {
        limit = Self.limit(kilobits, frameRate)
    }

    /// Returns the QP of the next frame; nil if x264 chooses it. For a keyframe, that is the QP which it should have if
    /// the bitrate allows it.
    ///
    /// - Parameters:
    ///   - changed: what differs from the last frame; empty for a frame that only becomes sharper.
    ///   - isIDR: true if the frame is an IDR picture.
    ///   - level: the part of the buffer that the bitrate has filled.
    package mutating func quantizer(changed: DamageRegion, isIDR: Bool, level: Double) -> Int? {
        kind = isIDR ? .keyframe : !changed.isSmall ? .large : changed.isEmpty ? .refinement : .small
        isHeld = false
        if !changed.isSmall {
            (held, framesUntilHold, framesUntilRetry, largeFrames, hasKeyframe) = (nil, 0, 0, 0, isIDR)
            return nil
        }
        switch kind {
        case .keyframe:
            isHeld = held != nil && framesUntilHold == 0 && hasKeyframe
            hasKeyframe = true
        case .small:
            framesUntilRetry = max(0, framesUntilRetry - 1)
            if framesUntilHold > 0 {
                framesUntilHold -= 1
            } else if let held {
                let mayFall = level >= Self.fullLevel && held > Self.lowestQuantizer && framesUntilRetry == 0
                isHeld = !mayFall && (level >= Self.lowestLevel || largeFrames == 0)
            }
        case .refinement, .large: break
        }
        return isHeld ? held : nil
    }

    /// Notes the size in bytes and the QP of the frame.
    package mutating func note(size: Int, quantizer: Int) {
        switch kind {
        case .keyframe:
            // A keyframe that is as sharp as the frames before it needs no step.
            if !isHeld || quantizer > held ?? 0 { held = nil }
            (framesUntilHold, framesUntilRetry, largeFrames) = (0, 0, 0)
        case .small:
            largeFrames = isHeld && size > limit ? largeFrames + 1 : 0
            if largeFrames >= Self.largeFrameLimit {
                (held, framesUntilHold, largeFrames) = (nil, Self.releaseFrames, 0)
            } else if !isHeld, let held, framesUntilHold == 0, quantizer >= held {
                framesUntilRetry = Self.retryFrames
            } else if !isHeld {
                held = quantizer
            }
        case .refinement: if let held { self.held = min(held, quantizer) }
        case .large: break
        }
    }
}
