import CX264
import CYUV
import Media

/// Measures how much of a picture is new compared with the last measured one: the bytes of the picture at a quarter of
/// its width and height with a fixed QP, as a P picture of a second, small x264.
///
/// Use it on the encoder's thread.
final class MotionMeter: MovementMeter {
    private static let quantizer: Int32 = 28

    private let encoder: OpaquePointer
    private let width: Int
    private let height: Int
    private var luma: [UInt8]
    /// Both planes of chroma, which are grey: the luma tells enough.
    private let chroma: [UInt8]

    init(size: PixelSize) throws(EncodeError) {
        width = max(32, size.width / 4 & ~1)
        height = max(32, size.height / 4 & ~1)
        luma = [UInt8](repeating: 0, count: width * height)
        chroma = [UInt8](repeating: 128, count: width * height / 4)
        var parameters = x264_param_t()
        x264_param_default_preset(&parameters, "superfast", "zerolatency")
        cx264_silence(&parameters)
        parameters.i_width = Int32(width)
        parameters.i_height = Int32(height)
        parameters.i_csp = X264_CSP_I420
        parameters.i_threads = 1
        parameters.b_sliced_threads = 0
        parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE
        parameters.i_scenecut_threshold = 0
        parameters.i_frame_reference = 1
        parameters.b_repeat_headers = 0
        parameters.b_vfr_input = 0
        parameters.analyse.i_weighted_pred = 1
        parameters.rc.i_rc_method = X264_RC_CQP
        parameters.rc.i_qp_constant = Self.quantizer
        parameters.rc.f_ip_factor = 1
        guard let encoder = cx264_encoder_open(&parameters) else {
            throw .cannotOpenVideo(.rejected(size: PixelSize(width: width, height: height), frameRate: 25))
        }
        self.encoder = encoder
    }

    deinit { x264_encoder_close(encoder) }

    /// Takes the next picture of a movement. Returns its bytes, predicted from the last one.
    func predicted(_ frame: PixelBuffer) -> Int {
        shrink(frame)
        return encode(type: X264_TYPE_AUTO)
    }

    /// Returns the bytes of the picture that `predicted` has taken last, without prediction.
    func unpredicted() -> Int {
        encode(type: X264_TYPE_IDR)
    }

    private func shrink(_ frame: PixelBuffer) {
        frame.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            ScalePlane(
                source, Int32(frame.stride), Int32(frame.size.width), Int32(frame.size.height), &luma, Int32(width),
                Int32(width), Int32(height), kFilterBox)
        }
    }

    private func encode(type: Int32) -> Int {
        var picture = x264_picture_t(
            type: type, colourSpace: X264_CSP_I420, stride: width, chromaStride: width / 2)
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        return luma.withUnsafeBufferPointer { luma in
            chroma.withUnsafeBufferPointer { grey in
                picture.setPlanes(luma.baseAddress, grey.baseAddress, grey.baseAddress)
                return Int(max(0, x264_encoder_encode(encoder, &units, &count, &picture, &output)))
            }
        }
    }
}
