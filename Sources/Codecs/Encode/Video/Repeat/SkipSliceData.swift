import Bitstream

/// The slice data of a picture in which every macroblock is skipped: for each macroblock mb_skip_flag = 1 and
/// end_of_slice_flag, coded with CABAC (Rec. ITU-T H.264, 7.3.4 and 9.3.4).
///
/// Only the most probable symbol of one context occurs, so this type has only that part of an arithmetic encoder.
struct SkipSliceData {
    /// The QP of the slice. It initialises the context so that mb_skip_flag = 1 is the most probable symbol and needs
    /// the fewest bits.
    static let quantizer: Int32 = 51
    /// rangeTabLPS of pStateIdx 42 to 62 (table 9-44).
    ///
    /// 42 is the first state of ctxIdx 11 with cabac_init_idc 0 and `quantizer`: (m, n) = (23, 33), ((23 × 51) >> 4) +
    /// 33 - 64 (9.3.1.1, table 9-13).
    private static let leastProbableRanges: [[UInt32]] = [
        [16, 20, 23, 27], [15, 19, 22, 25], [14, 18, 21, 24], [14, 17, 20, 23], [13, 16, 19, 22], [12, 15, 18, 21],
        [12, 14, 17, 20],
        [11, 14, 16, 19], [11, 13, 15, 18], [10, 12, 15, 17], [10, 12, 14, 16], [9, 11, 13, 15], [9, 11, 12, 14],
        [8, 10, 12, 14],
        [8, 9, 11, 13], [7, 9, 11, 12], [7, 9, 10, 12], [7, 8, 10, 11], [6, 8, 9, 11], [6, 7, 9, 10], [6, 7, 8, 9],
    ]

    private var low: UInt32 = 0
    private var range: UInt32 = 510
    private var outstanding = 0
    private var isFirstBit = true
    private var writer = BitWriter()

    /// Returns the bytes after cabac_alignment_one_bit to the end of the NAL unit, without emulation prevention.
    static func bytes(macroblockCount: Int) -> [UInt8] {
        var coder = SkipSliceData()
        var state = 0
        for index in 0..<macroblockCount {
            coder.encodeMostProbable(state: state)
            state = min(state + 1, leastProbableRanges.count - 1)
            coder.encodeTerminate(index == macroblockCount - 1)
        }
        return coder.writer.bytes
    }

    /// EncodeDecision for binVal = valMPS (9.3.4.2).
    private mutating func encodeMostProbable(state: Int) {
        range -= Self.leastProbableRanges[state][Int(range >> 6) & 3]
        renormalise()
    }

    /// EncodeTerminate and EncodeFlush (9.3.4.5).
    private mutating func encodeTerminate(_ isEnd: Bool) {
        range -= 2
        guard isEnd else {
            renormalise()
            return
        }
        low += range
        range = 2
        renormalise()
        put(low >> 9 & 1)
        // The last of these is the rbsp_stop_one_bit.
        writer.bits((low >> 7 & 3) | 1, count: 2)
    }

    /// RenormE (9.3.4.3).
    private mutating func renormalise() {
        while range < 256 {
            if low < 256 {
                put(0)
            } else if low >= 512 {
                low -= 512
                put(1)
            } else {
                low -= 256
                outstanding += 1
            }
            range <<= 1
            low <<= 1
        }
    }

    /// PutBit (9.3.4.4).
    private mutating func put(_ bit: UInt32) {
        if isFirstBit { isFirstBit = false } else { writer.bits(bit, count: 1) }
        while outstanding > 0 {
            writer.bits(1 - bit, count: 1)
            outstanding -= 1
        }
    }
}
