import Bitstream

/// Counts frame_num over the pictures of x264 and the repeat pictures between them (Rec. ITU-T H.264, 7.4.3).
///
/// x264 does not know the repeat pictures. Their number since the last IDR picture is added to the frame_num of its
/// slices.
struct FrameNumbering {
    /// The number of bits of frame_num in slice headers.
    private let bitCount: Int
    /// The frame_num of the last picture, before the modulo operation.
    private var frameNumber = 0
    private var repeatsSinceIDR = 0

    init(bitCount: Int) {
        self.bitCount = bitCount
    }

    /// Returns the frame_num of the next picture, which is a repeat picture.
    mutating func nextRepeat() -> Int {
        frameNumber += 1
        repeatsSinceIDR += 1
        return frameNumber
    }

    /// Notes that the next picture is the last IDR picture of x264, which is sent again.
    mutating func repeatIDR() {
        frameNumber = 0
        repeatsSinceIDR = 0
    }

    /// Returns the access unit of the next picture, with the correct frame_num in its slices.
    mutating func number(_ output: X264Encoder.Output) -> [UInt8] {
        guard !output.isIDR else {
            frameNumber = 0
            repeatsSinceIDR = 0
            return output.data
        }
        frameNumber += 1
        return repeatsSinceIDR > 0 ? shifted(output) : output.data
    }

    private func shifted(_ output: X264Encoder.Output) -> [UInt8] {
        var data = output.data
        // From the last unit to the first, because a unit that grows moves those after it.
        for unit in output.units.reversed() where unit.type == 1 {
            let growth = FrameNumberShift.apply(repeatsSinceIDR, to: &data, unit: unit.range, frameNumberBits: bitCount)
            if growth != 0 { NALUnits.setLength(unit.range.count + growth, in: &data, before: unit.range.lowerBound) }
        }
        return data
    }
}
