/// Tells when a picture that no longer changes has been coded as well as it is going to be, so that repeating it is enough.
///
/// A blurred still is the fault that users report: right after a change the rate control has few bits, and makes up for it
/// over the next frames. Once x264 finds nothing to add, its frames are next to empty.
struct SettlingDetector {
    /// With a bitrate, frames this good look like the original.
    static let transparentQuantizer = 18
    private let goodQuantizer: Int
    /// A picture that has not settled after so many still frames settles no more.
    private let patience: Int
    private let emptyFrameSize: Int
    private var stillFrames = 0
    private var emptyFrames = 0

    /// - Parameters:
    ///   - macroblockCount: in a picture.
    ///   - frameRate: frames a second.
    ///   - goodQuantizer: frames of this QP or below need no better one.
    init(macroblockCount: Int, frameRate: Int, goodQuantizer: Int) {
        self.goodQuantizer = goodQuantizer
        // All skipped: some bytes for each slice's header, and next to nothing for a macroblock.
        emptyFrameSize = 120 + macroblockCount / 64
        patience = frameRate
    }

    private(set) var isSettled = false

    /// Takes a frame that x264 made: its size in bytes and its QP, and whether the picture had changed.
    mutating func note(size: Int, quantizer: Int, isChanged: Bool) {
        if isChanged {
            // A change that was coded well at once leaves nothing to make up for.
            stillFrames = 0
            emptyFrames = 0
            isSettled = quantizer <= goodQuantizer
            return
        }
        stillFrames += 1
        emptyFrames = size <= emptyFrameSize ? emptyFrames + 1 : 0
        isSettled = emptyFrames >= 2 || stillFrames >= patience || (emptyFrames >= 1 && quantizer <= goodQuantizer)
    }
}
