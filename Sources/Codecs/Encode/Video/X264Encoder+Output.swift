import CX264
import Media

extension X264Encoder {
    /// An encoded frame.
    struct Output {
        /// The highest QP of a picture of 8 bits (Rec. ITU-T H.264, 7.4.2.2). x264 reports up to 18 more if it has no
        /// bits.
        private static let highestQuantizer = 51

        /// The NAL units from x264, with a length of 4 bytes before each.
        var data: [UInt8]
        /// The start of each NAL unit in `data`, after its length, and its nal_unit_type.
        var units: [(range: Range<Int>, type: Int32)]
        var isIDR: Bool
        var presentationTime: MediaTime
        var decodeTime: MediaTime
        /// The QP with which x264 began the frame. If its own rate control finds that the frame becomes too large, it
        /// raises the QP from row to row.
        var quantizer: Int

        /// Copies what x264 returned. Returns nil if it returned no frame.
        ///
        /// - Parameter size: the number of bytes of all units, or x264's error.
        init?(size: Int32, units: UnsafeMutablePointer<x264_nal_t>?, count: Int32, picture: x264_picture_t)
            throws(EncodeError)
        {
            guard size >= 0 else { throw .videoFailed(code: Int(size)) }
            guard size > 0, let units, let first = units[0].p_payload else { return nil }
            data = Array(UnsafeBufferPointer(start: first, count: Int(size)))
            self.units = (0..<Int(count)).map { index in
                let start = units[index].p_payload - first
                return (start + 4..<start + Int(units[index].i_payload), units[index].i_type)
            }
            isIDR = picture.b_keyframe != 0
            presentationTime = MediaTime(nanoseconds: picture.i_pts * 1000)
            decodeTime = MediaTime(nanoseconds: picture.i_dts * 1000)
            quantizer = min(Self.highestQuantizer, Int(picture.i_qpplus1) - 1)
        }
    }
}
