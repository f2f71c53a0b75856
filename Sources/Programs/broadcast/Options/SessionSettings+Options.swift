import Presentation
import UserConfiguration

extension SessionSettings {
    /// The settings from the options. Rejects options that exclude each other; `SessionConfiguration` checks ranges.
    init(
        source: SourceOptions, video: VideoOptions, audio: AudioOptions, privacy: PrivacyOptions,
        session: SessionOptions
    ) throws(CommandError) {
        self.init()
        title = session.title
        duration = try session.duration.map { text throws(CommandError) in
            try OptionValue.duration(text, name: "--duration")
        }
        clipBuffer = try session.clipBuffer.map { text throws(CommandError) in
            try OptionValue.duration(text, name: "--clip-buffer")
        }
        windowTimeout = try source.windowReturn()
        // With --window pick, the caller asks the user to click a window later.
        let selection = try source.selection() ?? .wholeScreen
        if let replacement = source.replacement {
            if source.display != nil || source.followFocus {
                throw CommandError(.usage, SettingProblem.pictureFileAndScreen.sentence)
            }
            self.source = replacement.source
        } else {
            self.source = .screen(display: source.display, selection)
        }
        hiddenWindows = try privacy.rules()
        self.video = try video.values()
        if let path = audio.wav { sound = .wav(path: path) }
        self.audio = try audio.values()
    }
}
