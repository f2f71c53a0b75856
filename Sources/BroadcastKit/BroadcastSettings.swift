import Media
import UserConfiguration

/// How a broadcast is made.
public struct BroadcastSettings: Sendable {
    /// Frames a second; nil for the configuration's, else 30.
    public var frameRate: Int?
    /// The size of the pictures that are sent; nil for the source's.
    public var size: (width: Int, height: Int)?
    /// kbit/s; nil for a bitrate that suits the size if a destination is live, and constant quality in files.
    public var bitrate: Int?
    public var title: String?
    /// Show the mouse pointer; nil for the configuration's choice, else true.
    public var showsCursor: Bool?
    /// Windows that viewers must not see, beside those of the configuration: `class:NAME`, `title:*TEXT*`, `pid:NUMBER` or `id:0xNUMBER`.
    public var hiddenWindows: [String] = []
    /// Seconds of the past that are kept for `saveClip`; nil keeps none.
    public var clipBuffer: Double?
    /// Seconds after which the broadcast ends by itself; nil for never.
    public var duration: Double?
    /// Try first connections again until they succeed, if they fail because of the network. `start` waits for that.
    public var waitsForNetwork = false
    /// Suppress notifications while a screen is broadcast.
    public var suppressesNotifications = true
    /// Use the `[video]`, `[audio]` and `[privacy]` tables of the user's configuration for what is not set here.
    public var usesConfiguration = true

    public init() {}
}

extension SessionSettings {
    init(_ content: BroadcastController.Content, _ sound: BroadcastController.Sound, _ settings: BroadcastSettings) {
        self.init()
        switch content {
        case .screen(let display): source = .screen(display: display, .wholeScreen)
        case .monitor(let name, let display): source = .screen(display: display, .monitor(name))
        case .window(let window, let display): source = .screen(display: display, .window(window))
        case .region(let x, let y, let width, let height, let display):
            source = .screen(display: display, .region(PixelRect(x: x, y: y, width: width, height: height)))
        case .y4m(let path): source = .y4m(path: path)
        case .pictures(let channel): source = .feed(channel.feed)
        }
        switch sound {
        case .none:
            appAudio = false
            microphone = false
        case .system(let microphone):
            appAudio = true
            self.microphone = microphone
        case .wav(let path): self.sound = .wav(path: path)
        case .channel(let channel): self.sound = .feed(channel.feed)
        }
        frameRate = settings.frameRate
        size = settings.size.map { PixelSize(width: $0.width, height: $0.height) }
        bitrate = settings.bitrate
        title = settings.title
        showsCursor = settings.showsCursor
        clipBuffer = settings.clipBuffer.map { MediaTime(seconds: $0) }
        duration = settings.duration.map { MediaTime(seconds: $0) }
        hiddenWindowTexts = settings.hiddenWindows
        waitsForNetwork = settings.waitsForNetwork
    }
}
