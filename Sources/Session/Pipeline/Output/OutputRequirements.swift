import Media

/// What a destination requires of the pipeline.
package struct OutputRequirements: Sendable, Equatable {
    package var media: MediaRequirements
    /// How its picture differs from the configured one.
    package var picture: PictureRequirements
    /// The limits of the service. They apply to settings that the user did not choose.
    package var limits: PictureLimits
    /// True if it serves viewers: its picture is 4:2:0, it always has a sound track, and its bitrate is limited.
    package var isLive: Bool

    package init(
        media: MediaRequirements = MediaRequirements(), picture: PictureRequirements = PictureRequirements(),
        limits: PictureLimits = PictureLimits(), isLive: Bool = false
    ) {
        self.media = media
        self.picture = picture
        self.limits = limits
        self.isLive = isLive
    }
}
