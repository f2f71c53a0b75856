/// The picture that a destination asks for, if that is not the session's.
package struct PictureRequirements: Sendable, Hashable {
    /// Nil for the session's.
    package var size: PixelSize?
    /// kbit/s; nil for the session's.
    package var bitrate: Int?
    /// Nil if any profile is taken.
    package var profile: VideoProfile?

    package init(size: PixelSize? = nil, bitrate: Int? = nil, profile: VideoProfile? = nil) {
        self.size = size
        self.bitrate = bitrate
        self.profile = profile
    }
}

/// A profile of H.264 (Rec. ITU-T H.264, A.2) that a decoder is limited to.
package enum VideoProfile: String, Sendable, Hashable, CaseIterable {
    /// Constrained Baseline: what each implementation of WebRTC decodes (RFC 7742, section 6.2).
    case baseline
    case main
}
