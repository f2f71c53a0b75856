/// Tells when a picture that no longer changes has been coded as well as it is going to be, so that repeating it is enough.
///
/// A blurred still is the fault that users report: right after a change or a keyframe the rate control has few bits, and makes up
/// for it over the next frames. It codes these finer and finer, until a finer one would show no more.
struct SettlingDetector {
    /// With a bitrate, pictures coded at this QP or a finer one are as good as what files get by default (CRF 23).
    static let transparentQuantizer = 24
    private let goodQuantizer: Int
    /// A picture that has not settled after so many still frames settles no more: the bitrate does not give it.
    private let patience: Int
    private let emptyFrameSize: Int
    /// With a constant quality two empty frames say that there is nothing to add; with a bitrate they may only say that there are
    /// no bits left.
    private let hasConstantQuality: Bool
    private var stillFrames = 0
    private var emptyFrames = 0
    /// The coarsest QP that any part of the picture stands at.
    private(set) var pictureQuantizer = 51

    /// - Parameters:
    ///   - macroblockCount: in a picture.
    ///   - frameRate: frames a second.
    ///   - goodQuantizer: pictures of this QP or below need no better one.
    ///   - hasConstantQuality: no bitrate limits the picture.
    init(macroblockCount: Int, frameRate: Int, goodQuantizer: Int, hasConstantQuality: Bool) {
        self.goodQuantizer = goodQuantizer
        self.hasConstantQuality = hasConstantQuality
        // All skipped: some bytes for each slice's header, and next to nothing for a macroblock.
        emptyFrameSize = 120 + macroblockCount / 64
        patience = frameRate * 2
    }

    var isSettled: Bool {
        pictureQuantizer <= goodQuantizer || stillFrames >= patience || (hasConstantQuality && emptyFrames >= 2)
    }

    /// Takes a frame that x264 made: its size in bytes and its QP, whether it is a keyframe, and whether the picture had changed.
    mutating func note(size: Int, quantizer: Int, isKeyframe: Bool, isChanged: Bool) {
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
            // What is coarser than the frame's QP is coded again; an empty frame found nothing that is.
            if size > emptyFrameSize { pictureQuantizer = min(pictureQuantizer, quantizer) }
            emptyFrames = size > emptyFrameSize ? 0 : emptyFrames + 1
        }
    }
}
