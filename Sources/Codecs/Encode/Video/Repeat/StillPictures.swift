import Bitstream
import Media

/// The pictures of a `StillGroup`: how far the viewers are in it, and where the encoder is.
///
/// While the pictures are sent again, the encoder stays where it was after the last one. Before it encodes a change, it
/// must have the reference that viewers have, so it encodes the pictures up to that one again (`resume`). An encoder
/// that gets the same frame and the same instruction after the same reference writes the same picture, which is
/// checked.
struct StillPictures {
    struct Step {
        /// Only the slices: x264 writes what else its first picture contains once.
        let picture: CodedPicture
        let instruction: CodingInstruction

        init(picture: CodedPicture, instruction: CodingInstruction) {
            var slices = picture
            slices.data = StillPictures.slices(of: picture.data)
            self.picture = slices
            self.instruction = instruction
        }
    }

    /// What they show.
    let frame: PixelBuffer
    private(set) var steps: [Step]
    /// The number of pictures that viewers have since the last keyframe.
    var sent = 1
    /// True if the last picture of the encoder is the last one of `steps`.
    var isEncoderAtEnd = true

    init(keyframe: Step, of frame: PixelBuffer) {
        steps = [keyframe]
        self.frame = frame
    }

    /// True if the next picture of the encoder would follow another one than the one that viewers have.
    var isEncoderElsewhere: Bool { !isEncoderAtEnd || sent < steps.count }

    mutating func append(_ step: Step) {
        steps.append(step)
        sent = steps.count
        isEncoderAtEnd = true
    }

    /// Brings an encoder to the picture that viewers have. Returns false if it writes something else this time; an IDR
    /// picture must follow then.
    ///
    /// - Parameter time: returns a time that is later than that of the encoder's last picture, in whole microseconds.
    mutating func resume(
        _ encoder: any PictureEncoder, rewriter: SliceHeaderRewriter?, time: () -> MediaTime
    ) throws(EncodeError) -> Bool {
        for (index, step) in steps.prefix(sent).enumerated() {
            let number: SliceHeaderRewriter.PictureNumber = index == 0 ? .idr(0) : .frame(index)
            guard let again = try encoder.encode(frame, at: time(), step.instruction),
                let written = try? rewriter?.accessUnit(Self.slices(of: again.data), as: number),
                let expected = try? rewriter?.accessUnit(step.picture.data, as: number),
                Self.isSame(written, expected)
            else { return false }
        }
        steps.removeLast(steps.count - sent)
        isEncoderAtEnd = true
        return true
    }

    /// Compares two access units without the last byte of each unit: x264 ends the arithmetic code of a slice with a
    /// bit that follows from the number of the frame and changes nothing in the picture.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return zip(NALUnits(lengthPrefixed: one), NALUnits(lengthPrefixed: other)).allSatisfy {
            $0.count == $1.count && $0.dropLast().elementsEqual($1.dropLast())
        }
    }

    /// Returns the slices of an access unit, with their lengths.
    private static func slices(of accessUnit: [UInt8]) -> [UInt8] {
        let units = NALUnits(lengthPrefixed: accessUnit)
        guard units.contains(where: { ![1, 5].contains(NALUnits.kind(of: $0)) }) else { return accessUnit }
        return units.filter { [1, 5].contains(NALUnits.kind(of: $0)) }.reduce(into: []) { result, unit in
            // The length is the four bytes before the unit.
            result += accessUnit[(unit.startIndex - 4)..<unit.endIndex]
        }
    }
}
