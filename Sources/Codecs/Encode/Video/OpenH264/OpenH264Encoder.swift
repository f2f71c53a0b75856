import Bitstream
import COpenH264
import Media

/// OpenH264, with its tools for screens: it finds text that has been scrolled. Its rate control is off, and each
/// picture has the QP that it is given, or that of the quality in the settings. It ignores the changed areas, because
/// it compares the pictures itself.
final class OpenH264Encoder: PictureEncoder {
    private let encoder: UnsafeMutablePointer<ISVCEncoder?>
    private var parameters: SEncParamExt
    /// The chosen thoroughness of the analysis.
    private let complexity: ECOMPLEXITY_MODE
    let sequenceParameterSet: [UInt8]
    let pictureParameterSet: [UInt8]
    let hasZones = false
    let highestQuantizer = ScreenRateControl.highestQuantizer
    let delayedFrames = 0

    init(settings: VideoSettings) throws(EncodeError) {
        if let missing = settings.missingInOpenH264 { throw .cannotOpenVideo(.notInOpenH264(missing)) }
        var created: UnsafeMutablePointer<ISVCEncoder?>?
        guard WelsCreateSVCEncoder(&created) == 0, let encoder = created, let functions = encoder.pointee?.pointee
        else { throw .cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate)) }
        var level = Int32(WELS_LOG_QUIET)
        _ = functions.SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &level)
        var parameters = SEncParamExt()
        _ = functions.GetDefaultParams(encoder, &parameters)
        parameters.set(settings)
        guard functions.InitializeExt(encoder, &parameters) == 0 else {
            WelsDestroySVCEncoder(encoder)
            throw .cannotOpenVideo(.rejected(size: settings.size, frameRate: settings.frameRate))
        }
        var info = SFrameBSInfo()
        _ = functions.EncodeParameterSets(encoder, &info)
        let sets = Dictionary(info.units(ofLayer: NON_VIDEO_CODING_LAYER).map { (NALUnits.kind(of: $0[...]), $0) }) {
            first, _ in first
        }
        guard let sequence = sets[7], let picture = sets[8] else {
            WelsDestroySVCEncoder(encoder)
            throw .cannotOpenVideo(.noParameterSets)
        }
        self.encoder = encoder
        self.parameters = parameters
        complexity = parameters.iComplexityMode
        sequenceParameterSet = SequenceParameterSet.replacing(
            timing: .init(frameRate: settings.frameRate, isFixed: settings.hasFixedFrameRate), in: sequence)
        pictureParameterSet = picture
    }

    deinit {
        _ = encoder.pointee?.pointee.Uninitialize(encoder)
        WelsDestroySVCEncoder(encoder)
    }

    func encode(
        _ frame: PixelBuffer, at time: MediaTime, _ instruction: CodingInstruction
    ) throws(EncodeError) -> CodedPicture? {
        guard let functions = encoder.pointee?.pointee else { return nil }
        let quantizer = instruction.quantizers.map { Int32($0.lowest) } ?? parameters.sSpatialLayers.0.iDLayerQp
        apply(quantizer: quantizer, isDeblocked: instruction.isDeblocked)
        if instruction.isIDR { _ = functions.ForceIntraFrame(encoder, true) }
        var picture = SSourcePicture()
        picture.iColorFormat = Int32(videoFormatI420.rawValue)
        picture.iPicWidth = Int32(frame.size.width)
        picture.iPicHeight = Int32(frame.size.height)
        picture.iStride = (Int32(frame.stride), Int32(frame.chromaStride), Int32(frame.chromaStride), 0)
        picture.uiTimeStamp = time.milliseconds
        let offsets = frame.planeOffsets
        var info = SFrameBSInfo()
        let status = frame.withUnsafeBytes { bytes -> Int32 in
            // OpenH264 only reads the planes, and copies them before it returns.
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            picture.pData = (
                base.map { $0 + offsets.y }, base.map { $0 + offsets.u }, base.map { $0 + offsets.v }, nil
            )
            return functions.EncodeFrame(encoder, &picture, &info)
        }
        guard status == 0 else { throw .videoFailed(code: Int(status)) }
        var data: [UInt8] = []
        for unit in info.units(ofLayer: VIDEO_CODING_LAYER) { NALUnits.appendLengthPrefixed(unit, to: &data) }
        guard !data.isEmpty else { throw .videoFailed(code: Int(status)) }
        return CodedPicture(
            data: data, isIDR: info.eFrameType == videoFrameTypeIDR, presentationTime: time, decodeTime: time,
            quantizer: Int(quantizer))
    }

    func flush() throws(EncodeError) -> CodedPicture? { nil }

    func setBitrate(_ kilobits: Int) {}

    func setFastest(_ isFastest: Bool) {
        parameters.iComplexityMode = isFastest ? LOW_COMPLEXITY : complexity
        if let functions = encoder.pointee?.pointee {
            _ = functions.SetOption(encoder, ENCODER_OPTION_SVC_ENCODE_PARAM_EXT, &parameters)
        }
    }

    private func apply(quantizer: Int32, isDeblocked: Bool) {
        let deblocking: Int32 = isDeblocked ? 0 : 1
        guard let functions = encoder.pointee?.pointee,
            parameters.sSpatialLayers.0.iDLayerQp != quantizer || parameters.iLoopFilterDisableIdc != deblocking
        else { return }
        parameters.sSpatialLayers.0.iDLayerQp = quantizer
        parameters.iLoopFilterDisableIdc = deblocking
        _ = functions.SetOption(encoder, ENCODER_OPTION_SVC_ENCODE_PARAM_EXT, &parameters)
    }
}

extension SFrameBSInfo {
    /// Copies the NAL units of all layers of a kind, without start codes.
    fileprivate func units(ofLayer kind: LAYER_TYPE) -> [[UInt8]] {
        withUnsafeBytes(of: sLayerInfo) { bytes in
            bytes.bindMemory(to: SLayerBSInfo.self).prefix(Int(iLayerNum)).flatMap { layer -> [[UInt8]] in
                guard UInt32(layer.uiLayerType) == kind.rawValue, var next = layer.pBsBuf else { return [] }
                return (0..<Int(layer.iNalCount)).map { index in
                    let unit = UnsafeBufferPointer(start: next, count: Int(layer.pNalLengthInByte[index]))
                    next += unit.count
                    // A start code is some zeros and a one (Rec. ITU-T H.264, B.1.1).
                    return Array(unit.drop { $0 == 0 }.dropFirst())
                }
            }
        }
    }
}

extension SEncParamExt {
    /// One layer of the profile High without reordering, with BT.709 in the VUI.
    fileprivate mutating func set(_ settings: VideoSettings) {
        iUsageType = SCREEN_CONTENT_REAL_TIME
        iPicWidth = Int32(settings.size.width)
        iPicHeight = Int32(settings.size.height)
        fMaxFrameRate = Float(settings.frameRate)
        iRCMode = RC_OFF_MODE
        iComplexityMode = Self.complexity(of: settings.coding.preset)
        // `VideoEncoder` requests IDR pictures by time.
        uiIntraPeriod = 0
        iNumRefFrame = 1
        bEnableLongTermReference = false
        eSpsPpsIdStrategy = CONSTANT_ID
        bPrefixNalAddingCtrl = false
        bEnableSSEI = false
        iEntropyCodingModeFlag = 1
        bEnableFrameSkip = false
        bEnableDenoise = false
        bEnableBackgroundDetection = false
        bEnableAdaptiveQuant = false
        iMultipleThreadIdc = UInt16(settings.threads)
        bUseLoadBalancing = false
        sSpatialLayers.0.iVideoWidth = iPicWidth
        sSpatialLayers.0.iVideoHeight = iPicHeight
        sSpatialLayers.0.fFrameRate = fMaxFrameRate
        sSpatialLayers.0.uiProfileIdc = PRO_HIGH
        if case .quality(let factor) = settings.rateControl {
            sSpatialLayers.0.iDLayerQp = Int32(factor.rounded())
        }
        sSpatialLayers.0.sSliceArgument.uiSliceMode =
            settings.threads > 1 ? SM_FIXEDSLCNUM_SLICE : SM_SINGLE_SLICE
        sSpatialLayers.0.sSliceArgument.uiSliceNum = UInt32(settings.threads)
        sSpatialLayers.0.bVideoSignalTypePresent = true
        sSpatialLayers.0.uiVideoFormat = UInt8(VF_UNDEF.rawValue)
        sSpatialLayers.0.bColorDescriptionPresent = true
        sSpatialLayers.0.uiColorPrimaries = UInt8(CP_BT709.rawValue)
        sSpatialLayers.0.uiTransferCharacteristics = UInt8(TRC_BT709.rawValue)
        sSpatialLayers.0.uiColorMatrix = UInt8(CM_BT709.rawValue)
    }

    /// OpenH264 has three presets instead of ten.
    private static func complexity(of preset: String) -> ECOMPLEXITY_MODE {
        let index = CodingOptions.presets.firstIndex(of: preset) ?? 0
        return index < 2 ? LOW_COMPLEXITY : index < 6 ? MEDIUM_COMPLEXITY : HIGH_COMPLEXITY
    }
}

extension VideoSettings {
    /// What these settings ask for and OpenH264 has not.
    fileprivate var missingInOpenH264: EncodeError.MissingFeature? {
        if rateControl.isLossless { return .lossless }
        if chroma == .yuv444 { return .fullChroma }
        return coding.latency == .normal ? .lookahead : nil
    }
}
