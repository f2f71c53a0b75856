import Media
import Upload

/// One destination of a session, and how the handler that serves it is made.
package struct DestinationPlan: Sendable {
    /// What the user calls it.
    package var name: String
    /// The kind of uploader: `rtmp`, `file`, `stdout`.
    package var extensionName: String
    /// Where it goes, without anything secret.
    package var url: String?
    /// The file that is written, if it is one.
    package var path: String?
    /// True for a viewer who waits: it gets only what is new, from a keyframe on.
    package var isLive: Bool
    /// True where every tick should give a frame.
    package var prefersConstantPacing: Bool
    package var takesRawVideo: Bool
    /// The tracks of sound that it takes, in its order: `mixed`, or `app` and `mic`; none where sound is left out.
    package var audioTracks: [Track]
    /// True where sound is wanted as 16-bit PCM instead of AAC.
    package var takesRawAudio: Bool
    /// False where the picture is left out.
    package var takesVideo: Bool
    /// How long it may take to write out and close at the end.
    package var finishDeadline: Duration
    /// The picture that it asks for, where it is another one than the session's.
    package var picture = PictureWishes()
    /// What is done about a connection that is lost; nil where there is nothing to be tried again.
    package var retry: RetryPolicy?
    /// Makes the handler; a new one for each connection.
    package var makeHandler: @Sendable () -> any SampleHandler

    package init(
        name: String, extensionName: String, url: String? = nil, path: String? = nil, isLive: Bool, prefersConstantPacing: Bool,
        takesRawVideo: Bool = false, audioTracks: [Track] = [.mixed], takesRawAudio: Bool = false, takesVideo: Bool = true,
        finishDeadline: Duration = .milliseconds(700),
        picture: PictureWishes = PictureWishes(), retry: RetryPolicy? = nil, makeHandler: @escaping @Sendable () -> any SampleHandler
    ) {
        self.name = name
        self.extensionName = extensionName
        self.url = url
        self.path = path
        self.isLive = isLive
        self.prefersConstantPacing = prefersConstantPacing
        self.takesRawVideo = takesRawVideo
        self.audioTracks = audioTracks
        self.takesRawAudio = takesRawAudio
        self.takesVideo = takesVideo
        self.finishDeadline = finishDeadline
        self.picture = picture
        self.retry = retry
        self.makeHandler = makeHandler
    }
}
