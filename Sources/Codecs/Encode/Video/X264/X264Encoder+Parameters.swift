import CX264

extension X264Encoder {
    /// The parameters that live services accept and repeat pictures require, with BT.709 in the VUI.
    static func parameters(for settings: VideoSettings) throws(EncodeError) -> x264_param_t {
        var parameters = x264_param_t()
        guard
            x264_param_default_preset(
                &parameters, settings.coding.preset, settings.coding.latency == .low ? "zerolatency" : nil) == 0
        else {
            throw .cannotOpenVideo(.unknownPreset(settings.coding.preset))
        }
        cx264_silence(&parameters)
        parameters.i_width = Int32(settings.size.width)
        parameters.i_height = Int32(settings.size.height)
        parameters.i_csp = settings.chroma == .yuv444 ? X264_CSP_I444 : X264_CSP_I420
        parameters.i_fps_num = UInt32(settings.frameRate)
        parameters.i_fps_den = 1
        // x264 passes times in microseconds through. Rate control by times (b_vfr_input) would delay each frame until
        // the next one.
        parameters.b_vfr_input = settings.coding.latency == .low ? 0 : 1
        parameters.i_timebase_num = 1
        parameters.i_timebase_den = 1_000_000
        parameters.b_annexb = 0
        parameters.b_repeat_headers = 0
        parameters.b_aud = 0
        // `VideoEncoder` requests IDR pictures by time.
        parameters.i_keyint_max = X264_KEYINT_MAX_INFINITE
        parameters.i_scenecut_threshold = 0
        parameters.vui.i_colorprim = 1
        parameters.vui.i_transfer = 1
        parameters.vui.i_colmatrix = 1
        parameters.vui.b_fullrange = 0
        // Without this, a decoder assumes the left edge of the four pixels, and coloured text gets a fringe.
        if settings.chroma == .yuv420, settings.hasCentredChroma { parameters.vui.i_chroma_loc = 1 }
        parameters.analyse.b_mb_info = 1
        parameters.i_threads = Int32(settings.threads)
        parameters.setLatency(settings)
        parameters.setRateControl(settings)
        let needsHigh444 = settings.rateControl.isLossless || settings.chroma == .yuv444
        let profile = needsHigh444 ? "high444" : settings.profile?.rawValue ?? "high"
        guard x264_param_apply_profile(&parameters, profile) == 0 else {
            throw .cannotOpenVideo(.noHighProfile)
        }
        return parameters
    }

    /// Returns the subpel refinement (x264's `subme`) with which to open the encoder.
    ///
    /// x264 estimates the cost of each frame for its rate control. The threads that do this with low latency keep the
    /// refinement of the moment when the encoder was opened. With 1 they compare blocks by sums of differences and try
    /// few intra modes, which takes a fifth of all time less for a picture with small changes; the rate control learns
    /// how the estimate relates to bytes. The threads of all slices but the first keep this comparison too, for their
    /// decisions between modes (docs/decisions.md). From 6 on, the setting also decides about what the picture
    /// parameter set says.
    static func lookaheadRefinement(of analysis: x264_param_t, latency: CodingOptions.Latency) -> Int32 {
        let chosen = analysis.analyse.i_subpel_refine
        return latency == .low && chosen < 6 ? min(chosen, 1) : chosen
    }
}

extension x264_param_t {
    /// How readily x264 quantises a coefficient of an inter and of an intra block to zero, in 64ths of a step; it uses
    /// 21 and 11. For text the small coefficients are worth their bits: an IDR picture of the same size has an SSIM
    /// that is higher by .004 (.96 before) to .025 (.80 before). Natural pictures stay as good (docs/decisions.md).
    private static let deadZones: (inter: Int32, intra: Int32) = (12, 2)

    fileprivate mutating func setLatency(_ settings: VideoSettings) {
        switch settings.coding.latency {
        case .low:
            b_sliced_threads = settings.threads > 1 ? 1 : 0
            i_frame_reference = 1
            i_bframe = 0
            // Fades and flashes need a fifth of the bytes less.
            analyse.i_weighted_pred = settings.controlledBitrate == nil ? 0 : Int32(X264_WEIGHTP_SIMPLE)
        case .normal:
            rc.i_lookahead = 10
            i_bframe = 2
        }
    }

    fileprivate mutating func setRateControl(_ settings: VideoSettings) {
        switch settings.rateControl {
        case .bitrate where settings.controlledBitrate != nil:
            // Each frame gets a QP.
            rc.i_rc_method = X264_RC_CRF
            rc.f_rf_constant = 30
            rc.f_qcompress = 1
            // A lower QP makes no visible difference, but x264 would encode the whole picture again to reach it.
            rc.i_qp_min = 8
            analyse.i_luma_deadzone = (Self.deadZones.inter, Self.deadZones.intra)
        case .bitrate(let kilobits):
            rc.i_rc_method = X264_RC_ABR
            // A keyframe of text is less sharp than the frames around it, so it may use more bits than with x264's
            // default of 1.4.
            rc.f_ip_factor = 1.6
            // A lower QP makes no visible difference, but x264 would encode the whole picture again to reach it.
            rc.i_qp_min = 8
            rc.i_bitrate = Int32(kilobits)
            rc.i_vbv_max_bitrate = Int32(kilobits)
            rc.i_vbv_buffer_size = Int32(settings.bufferSize(bitrate: kilobits))
        case .quality(let factor):
            rc.i_rc_method = settings.rateControl.isLossless ? X264_RC_CQP : X264_RC_CRF
            rc.i_qp_constant = 0
            rc.f_rf_constant = Float(factor)
            if factor > 0, let limit = settings.maximumFrameSize {
                // Every frame may use the whole buffer, so only the size of a frame is limited, and not the bitrate.
                rc.i_vbv_buffer_size = Int32(limit * 8 / 1000)
                rc.i_vbv_max_bitrate = Int32(limit * 8 / 1000 * settings.frameRate)
            }
        }
    }
}
