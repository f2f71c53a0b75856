import Pipeline
import Upload

extension DestinationPlan {
    /// What the destination requires of the pipeline.
    package var requirements: OutputRequirements {
        OutputRequirements(media: media, picture: picture, limits: limits, isLive: isLive)
    }
}
