/// Detects when a picture that no longer changes has reached its final quality, so that repeating it is sufficient.
///
/// Right after a change or a keyframe the rate control has few bits and the picture is blurred. It refines the picture
/// in the next frames, until a refinement would make no visible difference.
struct SettlingDetector {
    /// With a constant quality, pictures with this QP or below have at least the default quality of files (CRF 23).
    static let transparentQuantizer = 24
    private let goodQuantizer: Int
    /// The number of still frames after which a picture counts as settled in any case: the bitrate allows no better
    /// quality.
    private let stillFrameLimit: Int
    private let emptyFrameSize: Int
    /// With a constant quality, two empty frames mean that there is nothing to improve. With a bitrate, they may only
    /// mean that no bits are available.
    private let hasConstantQuality: Bool
    /// The number of still frames since the last change or keyframe.
    private(set) var stillFrames = 0
    private var emptyFrames = 0
    private var lastQuantizer = 51
    /// The highest QP of any part of the picture.
    private(set) var pictureQuantizer = 51

    /// - Parameters:
    ///   - macroblockCount: the number of macroblocks in a picture.
    ///   - stillFrameLimit: the number of still frames after which a picture counts as settled in any case.
    ///   - goodQuantizer: pictures with this QP or below need no refinement.
    ///   - hasConstantQuality: true if no bitrate limits the picture.
    init(macroblockCount: Int, stillFrameLimit: Int, goodQuantizer: Int, hasConstantQuality: Bool) {
        self.goodQuantizer = goodQuantizer
        self.hasConstantQuality = hasConstantQuality
        // The size of a frame with only skipped macroblocks: some bytes for each slice header, and almost none per
        // macroblock.
        emptyFrameSize = 120 + macroblockCount / 64
        self.stillFrameLimit = stillFrameLimit
    }

    var isSettled: Bool {
        pictureQuantizer <= goodQuantizer || stillFrames >= stillFrameLimit || (hasConstantQuality && emptyFrames >= 2)
    }

    /// Processes a frame that x264 encoded: its size in bytes, its QP, whether it is a keyframe, and whether the
    /// picture changed.
    mutating func note(size: Int, quantizer: Int, isKeyframe: Bool, isChanged: Bool) {
        defer { lastQuantizer = quantizer }
        if isKeyframe {
            pictureQuantizer = quantizer
            stillFrames = 0
            emptyFrames = 0
        } else if isChanged {
            pictureQuantizer = max(pictureQuantizer, quantizer)
            stillFrames = 0
            emptyFrames = 0
        } else {
            stillFrames += 1
            // x264 skips a part without a look if the QP is not lower than in the frame before. If it is lower, x264
            // has found that the parts of an empty frame, for example a plain background, are as good as that QP makes
            // them.
            if size > emptyFrameSize || quantizer < lastQuantizer {
                pictureQuantizer = min(pictureQuantizer, quantizer)
            }
            emptyFrames = size > emptyFrameSize ? 0 : emptyFrames + 1
        }
    }
}
