import Presentation
import UserConfiguration

extension SessionSettings {
    /// The settings from the options. Rejects options that exclude each other; `SessionConfiguration` checks ranges.
    init(
        source: SourceOptions, video: VideoOptions, audio: AudioOptions, privacy: PrivacyOptions, session: SessionOptions
    ) throws(CommandError) {
        self.init()
        title = session.title
        duration = try session.duration.map { text throws(CommandError) in try OptionValue.duration(text, name: "--duration") }
        clipBuffer = try session.clipBuffer.map { text throws(CommandError) in try OptionValue.duration(text, name: "--clip-buffer") }
        windowTimeout = try source.windowReturn()
        // With --window pick, the caller asks the user to click a window later.
        let selection = try source.selection() ?? .wholeScreen
        if let path = source.y4m {
            if source.display != nil || source.followFocus { throw CommandError(.usage, SettingProblem.pictureFileAndScreen.sentence) }
            self.source = .y4m(path: path)
        } else {
            self.source = .screen(display: source.display, selection)
        }
        showsCursor = video.cursor
        hiddenWindows = try privacy.rules()
        size = try video.size.map { text throws(CommandError) in try OptionValue.size(text) }
        frameRate = video.fps
        bitrate = try video.bitrate.map { text throws(CommandError) in try OptionValue.bitrate(text, name: "--bitrate") }
        quality = video.quality
        preset = video.preset
        latency = try OptionValue.choice(video.latency, name: "--latency")
        chroma = try OptionValue.choice(video.chroma, name: "--chroma")
        pacing = try OptionValue.choice(video.framePacing, name: "--frame-pacing")
        keyframeInterval = video.keyframeInterval
        if let path = audio.wav { sound = .wav(path: path) }
        appAudio = audio.appAudio
        microphone = audio.mic
        appSource = audio.appSource
        micSource = audio.micSource
        audioBitrate = try audio.audioBitrate.map { text throws(CommandError) in try OptionValue.bitrate(text, name: "--audio-bitrate") }
    }
}
