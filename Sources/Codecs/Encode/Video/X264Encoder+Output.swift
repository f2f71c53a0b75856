import CX264
import CYUV
import Glibc
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
        /// The QP with which x264 began the frame. If the frame becomes too large, x264 raises the QP from row to row.
        var plannedQuantizer: Int
        /// The mean squared error of the luma in the worst strip of 16 rows; nil if it was not measured.
        var error: Double?

        /// The QP of the worst part of the frame, as far as it is known.
        ///
        /// Uniform quantization with a step D has a mean squared error of D * D / 12, and D doubles for every 6 steps
        /// of QP from 1 at QP 4 on (Rec. ITU-T H.264, table 8-15 and 8.5.12.1). The error of text is up to six steps
        /// larger than that.
        var quantizer: Int {
            guard let error, error > 0 else { return plannedQuantizer }
            return min(Self.highestQuantizer, max(plannedQuantizer, Int(4 + 3 * log2(12 * error)) - 6))
        }

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
            plannedQuantizer = min(Self.highestQuantizer, Int(picture.i_qpplus1) - 1)
        }
    }

    /// Returns the mean squared error of the luma of `decoded`, as decoders show the frame, in the strip of 16 rows
    /// that differs most from `original`.
    static func error(of decoded: x264_image_t, from original: x264_image_t, size: PixelSize) -> Double? {
        guard let decodedLuma = decoded.plane.0, let luma = original.plane.0 else { return nil }
        return stride(from: 0, to: size.height, by: 16).map { top in
            let rows = min(16, size.height - top)
            let sum = ComputeSumSquareErrorPlane(
                decodedLuma + top * Int(decoded.i_stride.0), decoded.i_stride.0, luma + top * Int(original.i_stride.0),
                original.i_stride.0,
                Int32(size.width), Int32(rows))
            return Double(sum) / Double(size.width * rows)
        }.max()
    }
}
