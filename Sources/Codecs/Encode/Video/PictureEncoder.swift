import Media

/// A library that encodes pictures to H.264.
///
/// `VideoEncoder` decides what is encoded, when, and with which QP; an implementation only encodes. It writes one
/// access unit a picture, in which pictures are shown in the order in which they are encoded, unless `delayedFrames`
/// can be more than 0. Use it on one thread.
protocol PictureEncoder: AnyObject {
    /// The NAL units of the parameter sets, without start codes. They do not change.
    var sequenceParameterSet: [UInt8] { get }
    var pictureParameterSet: [UInt8] { get }

    /// True if the halves of a picture can have different QPs. Otherwise the lower QP of `quantizers` is that of the
    /// whole picture.
    var hasZones: Bool { get }

    /// The highest QP that it takes: 51, or more if it can leave details of a picture out.
    var highestQuantizer: Int { get }

    /// The number of pictures in the encoder that it has not returned yet.
    var delayedFrames: Int { get }

    /// Encodes a picture in I420 or I444, as the settings say.
    ///
    /// - Parameter time: later than that of the picture before, in whole microseconds.
    /// - Returns: nil if the encoder keeps the picture, and an earlier one as soon as there is one.
    func encode(
        _ frame: PixelBuffer, at time: MediaTime, _ instruction: CodingInstruction
    ) throws(EncodeError) -> CodedPicture?

    /// Returns a picture that is still in the encoder, at the end. Returns nil if the encoder is empty, or if no
    /// picture is ready although `delayedFrames` is not 0.
    func flush() throws(EncodeError) -> CodedPicture?

    /// Changes the bitrate of the library's own rate control from the next picture on, in kbit/s.
    func setBitrate(_ kilobits: Int)

    /// Sets whether the next pictures are analysed as fast as the library can, because the machine is too slow. The
    /// parameter sets stay as they are.
    func setFastest(_ isFastest: Bool)
}

/// How a picture is encoded.
struct CodingInstruction {
    var isIDR: Bool
    /// The QPs of the picture; nil if the library's rate control chooses one.
    var quantizers: ZoneQuantizers?
    /// The areas that differ from the picture before. The encoder may take everything else from that picture without a
    /// look. Nil if it looks at everything.
    var changed: DamageRegion?
    /// True if decoders smooth the edges between blocks (Rec. ITU-T H.264, 8.7).
    var isDeblocked: Bool
}

/// An encoded picture.
struct CodedPicture {
    /// The NAL units, with a length of four bytes before each, without parameter sets.
    var data: [UInt8]
    var isIDR: Bool
    var presentationTime: MediaTime
    var decodeTime: MediaTime
    /// The QP of the picture; if the library's rate control changes it within the picture, that of its beginning.
    var quantizer: Int
}

extension VideoSettings {
    /// Opens the encoder that the settings name.
    func openEncoder() throws(EncodeError) -> any PictureEncoder {
        switch coding.library {
        case .x264: try X264Encoder(settings: self)
        case .openH264: try OpenH264Encoder(settings: self)
        }
    }
}
