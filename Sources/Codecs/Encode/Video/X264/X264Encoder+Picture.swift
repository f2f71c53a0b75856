import CX264
import Media

extension x264_picture_t {
    /// A picture for x264, whose planes `setPlanes` sets.
    init(type: Int32, colourSpace: Int32, stride: Int, chromaStride: Int) {
        self.init()
        x264_picture_init(&self)
        i_type = type
        img.i_csp = colourSpace
        img.i_plane = 3
        img.i_stride = (Int32(stride), Int32(chromaStride), Int32(chromaStride), 0)
    }

    /// Sets the planes Y, Cb and Cr. x264 only reads them, and copies them before `x264_encoder_encode` returns.
    mutating func setPlanes(_ y: UnsafePointer<UInt8>?, _ u: UnsafePointer<UInt8>?, _ v: UnsafePointer<UInt8>?) {
        img.plane = (
            UnsafeMutablePointer(mutating: y), UnsafeMutablePointer(mutating: u), UnsafeMutablePointer(mutating: v), nil
        )
    }
}

extension CodedPicture {
    /// The highest QP of a picture of 8 bits (Rec. ITU-T H.264, 7.4.2.2). x264 reports up to 18 more if it has no bits.
    private static let highestQuantizer = 51

    /// Copies what x264 returned. Returns nil if it returned no picture.
    ///
    /// - Parameter size: the number of bytes of all units, or x264's error.
    init?(size: Int32, units: UnsafeMutablePointer<x264_nal_t>?, picture: x264_picture_t) throws(EncodeError) {
        guard size >= 0 else { throw .videoFailed(code: Int(size)) }
        guard size > 0, let units, let first = units[0].p_payload else { return nil }
        data = Array(UnsafeBufferPointer(start: first, count: Int(size)))
        isIDR = picture.b_keyframe != 0
        presentationTime = MediaTime(nanoseconds: picture.i_pts * 1000)
        decodeTime = MediaTime(nanoseconds: picture.i_dts * 1000)
        quantizer = min(Self.highestQuantizer, Int(picture.i_qpplus1) - 1)
    }
}
