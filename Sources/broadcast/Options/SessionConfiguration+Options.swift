import Capture
import Encode
import Media
import Mix
import Session
import Upload

extension SessionConfiguration {
    /// What the options say, and where they say nothing the config; every value is checked here.
    init(
        source: SourceOptions, video: VideoOptions, audio: AudioOptions, privacy: PrivacyOptions, session: SessionOptions,
        configuration: Configuration
    ) throws(CommandError) {
        self.init()
        title = session.title
        if let text = session.duration { duration = try OptionValue.duration(text, name: "--duration") }
        if let text = session.clipBuffer { clipBuffer = try OptionValue.duration(text, name: "--clip-buffer") }
        var screen = ScreenRequest(display: source.display)
        // Where the user is to click a window, that is asked later.
        if let selection = try source.selection() { screen.selection = selection }
        screen.showsCursor = video.cursor ?? configuration.video.cursor ?? true
        screen.keepsAwake = configuration.privacy.keepAwake ?? true
        screen.hiddenWindows = HiddenWindowRules(
            configuration.privacy.hide + (try privacy.rules()), mutesSound: configuration.privacy.mute ?? false)
        picture = .screen(screen)
        if screen.hiddenWindows.mutesSound { self.audio.mutedWindows = screen.hiddenWindows }
        if let path = source.y4m {
            if source.display != nil || source.followFocus {
                throw CommandError(.usage, "--y4m takes the place of the screen: leave out --display and --follow-focus.")
            }
            picture = .y4m(path: path)
        }
        try apply(video, configuration.video)
        try apply(audio, configuration.audio)
    }

    private mutating func apply(_ options: VideoOptions, _ config: Configuration.Video) throws(CommandError) {
        if let text = options.size ?? config.size { outputSize = try OptionValue.size(text) }
        // A file's own rate goes before the config's: that is meant for the screen.
        let fps = if case .y4m = picture { options.fps } else { options.fps ?? config.fps }
        frameRate = try fps.map { rate throws(CommandError) in try OptionValue.whole(rate, in: 1...240, name: "--fps") }
        if options.bitrate != nil && options.quality != nil {
            throw CommandError(.usage, "--bitrate and --quality exclude each other. Use --bitrate for live, --quality for files.")
        }
        if options.bitrate == nil && options.quality == nil, let conflict = config.conflict { throw conflict }
        if let quality = options.quality ?? (options.bitrate == nil ? config.quality : nil) {
            guard (0...51).contains(quality) else { throw CommandError(.usage, "--quality must be from 0 (lossless) to 51; 23 is usual.") }
            rateControl = .quality(quality)
        }
        if let bitrate = options.bitrate ?? (options.quality == nil ? config.bitrate : nil) {
            rateControl = .bitrate(try OptionValue.whole(bitrate, in: 50...200_000, name: "--bitrate (kbit/s)"))
        }
        preset = options.preset ?? config.preset ?? preset
        guard VideoSettings.presets.contains(preset) else {
            throw CommandError(.usage, "There is no preset \"\(preset)\". Use one of \(VideoSettings.presets.joined(separator: ", ")).")
        }
        latency = try OptionValue.choice(options.latency ?? config.latency, name: "--latency") ?? latency
        chroma = try OptionValue.choice(options.chroma ?? config.chroma, name: "--chroma") ?? chroma
        pacing = try OptionValue.choice(options.framePacing ?? config.framePacing, name: "--frame-pacing")
        let seconds = options.keyframeInterval ?? config.keyframeInterval ?? 2
        guard (0.1...60).contains(seconds) else { throw CommandError(.usage, "--keyframe-interval must be from 0.1 to 60 seconds; 2 is usual.") }
        keyframeInterval = MediaTime(seconds: seconds)
    }

    private mutating func apply(_ options: AudioOptions, _ config: Configuration.Audio) throws(CommandError) {
        if let path = options.wav {
            if options.appSource != nil || options.appAudio == false {
                throw CommandError(.usage, "--wav takes the place of what the applications play: leave out --app-source and --no-app-audio.")
            }
            if case .y4m("-") = picture, path == "-" {
                throw CommandError(.usage, "Picture and sound cannot both come from standard input. Use a named pipe for one of them.")
            }
            audio.content = .wav(path: path)
        }
        // An application that brings its own picture does not mean what others play as well, unless it says so.
        let isOwnPicture = if case .screen = picture { false } else { true }
        let takesApp = options.wav != nil || (options.appAudio ?? (isOwnPicture ? false : config.app ?? true))
        let takesMic = options.mic ?? config.mic ?? false
        audio.app = takesApp ? AudioMixer.Level(gain: OptionValue.amplitude(decibels: config.appGain ?? 0)) : nil
        audio.laterMic = AudioMixer.Level(gain: OptionValue.amplitude(decibels: config.micGain ?? 0))
        audio.mic = takesMic ? audio.laterMic : nil
        audio.appSource = options.appSource ?? config.appSource
        audio.micSource = options.micSource ?? config.micSource
        audio.bitrate = try OptionValue.whole(options.audioBitrate ?? config.bitrate ?? 160, in: 32...320, name: "--audio-bitrate (kbit/s)")
    }
}
