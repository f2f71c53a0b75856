import Bitstream

/// Counts frame_num over the pictures of the encoder and the repeat pictures between them (Rec. ITU-T H.264, 7.4.3).
///
/// The encoder does not know the repeat pictures. The pictures that follow one get other numbers.
struct FrameNumbering {
    /// Nil if the stream has no repeat pictures.
    private let rewriter: SliceHeaderRewriter?
    /// The frame_num of the last picture, before the modulo operation.
    private var frameNumber = 0
    private var hasRepeats = false

    init(rewriter: SliceHeaderRewriter?) {
        self.rewriter = rewriter
    }

    /// Returns the frame_num of the next picture, which is a repeat picture.
    mutating func nextRepeat() -> Int {
        frameNumber += 1
        hasRepeats = true
        return frameNumber
    }

    /// Notes that the next picture is an IDR picture.
    mutating func noteIDR() {
        frameNumber = 0
        hasRepeats = false
    }

    /// Returns the access unit of the next picture, with the correct numbers in its slices.
    mutating func number(_ picture: CodedPicture) throws(EncodeError) -> [UInt8] {
        guard !picture.isIDR else {
            noteIDR()
            return picture.data
        }
        frameNumber += 1
        guard hasRepeats, let rewriter else { return picture.data }
        do throws(BitstreamError) {
            return try rewriter.accessUnit(picture.data, as: .frame(frameNumber))
        } catch {
            throw .unreadablePicture
        }
    }
}
