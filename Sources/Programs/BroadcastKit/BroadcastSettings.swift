import Host
import Media
import UserConfiguration

/// The settings of a broadcast.
public struct BroadcastSettings: Sendable {
    /// Frames a second; nil for the configuration's value, or 30 if it has none.
    public var frameRate: Int?
    /// The size of the encoded pictures; nil for the size of the source.
    public var size: (width: Int, height: Int)?
    /// The bitrate in kbit/s; nil for a bitrate that fits the size if a destination is live, otherwise for constant
    /// quality.
    public var bitrate: Int?
    public var title: String?
    /// True to show the mouse pointer; nil for the configuration's value, or true if it has none.
    public var showsCursor: Bool?
    /// Rules for hidden windows, in addition to those of the configuration: `class:NAME`, `title:*TEXT*`, `pid:NUMBER`
    /// or `id:0xNUMBER`.
    public var hiddenWindows: [String] = []
    /// The seconds that are kept for `saveClip`; nil to keep none.
    public var clipBuffer: Double?
    /// The seconds after which the broadcast ends; nil for no limit.
    public var duration: Double?
    /// True to retry first connections that fail because of the network until they succeed. `start` waits for that.
    public var waitsForNetwork = false
    /// True to suppress notifications while a screen is broadcast, unless the configuration forbids it.
    public var suppressesNotifications = true
    /// True to use the tables `[video]`, `[audio]` and `[privacy]` of the user's configuration for settings that are
    /// nil here. Its destinations and its table `[network]` always apply.
    public var usesConfiguration = true

    public init() {}
}

extension SessionSettings {
    init(
        _ content: BroadcastController.Content, _ sound: BroadcastController.Sound, _ settings: BroadcastSettings,
        _ user: SessionEnvironment
    ) {
        self.init()
        let isWayland = user.waylandSession != nil
        switch content {
        case .sharedMonitor: source = .portal(user.portalRequest(.monitor))
        case .sharedWindow: source = .portal(user.portalRequest(.window))
        case .screen(nil) where isWayland: source = .portal(user.portalRequest(.monitor))
        case .region(let x, let y, let width, let height, nil) where isWayland:
            var request = user.portalRequest(.monitor)
            request.region = PixelRect(x: x, y: y, width: width, height: height)
            source = .portal(request)
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
            audio.app = false
            audio.mic = false
        case .system(let microphone):
            audio.app = true
            audio.mic = microphone
        case .wav(let path): self.sound = .wav(path: path)
        case .channel(let channel): self.sound = .feed(channel.feed)
        }
        video.fps = settings.frameRate
        video.size = settings.size.map { PixelSize(width: $0.width, height: $0.height) }
        video.bitrate = settings.bitrate
        title = settings.title
        video.cursor = settings.showsCursor
        clipBuffer = settings.clipBuffer.map { MediaTime(seconds: $0) }
        duration = settings.duration.map { MediaTime(seconds: $0) }
        hiddenWindowTexts = settings.hiddenWindows
        waitsForNetwork = settings.waitsForNetwork
    }
}
