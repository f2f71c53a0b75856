/// Tells when a picture that no longer changes has been coded as well as it is going to be, so that repeating it is enough.
///
/// A blurred still is the fault that users report: right after a change the rate control has few bits, and makes up for it
/// over the next frames. Once x264 finds nothing to add, its frames are next to empty.
struct SettlingDetector {
    /// Frames this good look like the original.
    static let transparentQuantizer = 18
    /// A picture that has not settled after so many still frames settles no more.
    private let patience: Int
    private let emptyFrameSize: Int
    private var stillFrames = 0
    private var emptyFrames = 0

    /// - Parameters:
    ///   - macroblockCount: in a picture.
    ///   - frameRate: frames a second.
    init(macroblockCount: Int, frameRate: Int) {
        // All skipped: some bytes for each slice's header, and next to nothing for a macroblock.
        emptyFrameSize = 120 + macroblockCount / 64
        patience = frameRate
    }

    private(set) var isSettled = false

    /// Takes a frame that x264 made: its size in bytes and its QP, and whether the picture had changed.
    mutating func note(size: Int, quantizer: Int, isChanged: Bool) {
        if isChanged {
            self = SettlingDetector(emptyFrameSize: emptyFrameSize, patience: patience)
            return
        }
        stillFrames += 1
        emptyFrames = size <= emptyFrameSize ? emptyFrames + 1 : 0
        isSettled = emptyFrames >= 2 || stillFrames >= patience || (emptyFrames >= 1 && quantizer <= Self.transparentQuantizer)
    }

    private init(emptyFrameSize: Int, patience: Int) {
        self.emptyFrameSize = emptyFrameSize
        self.patience = patience
    }
}
