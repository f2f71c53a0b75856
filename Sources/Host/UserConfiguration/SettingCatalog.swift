import Encode
import Media
import Mix
import Pipeline
import RTMP
import Session
import Upload
import WindowPrivacy

/// The settings that the configuration contains, except destinations. Each is declared here, and nowhere else.
package enum SettingCatalog {
    package static let video = Video()
    package static let audio = Audio()
    package static let privacy = Privacy()
    package static let network = Network()

    /// All settings.
    package static var all: [any DeclaredSetting] { tables.flatMap(\.settings) }

    /// The settings of each table, with the table's name.
    package static var tables: [(name: String, settings: [any DeclaredSetting])] {
        [
            (Video.name, Video.all), (Audio.name, Audio.all), (Privacy.name, Privacy.all), (Network.name, Network.all),
        ]
    }

    /// The defaults of the pipeline.
    private static let media = MediaConfiguration()

    /// The table `[video]`.
    package struct Video: SettingTable {
        package static let name = "video"
        package static var declared: Video { SettingCatalog.video }

        package let size = Setting<PixelSize>(
            "size", .size, standard: .words("the size of the source"),
            option: SettingOption(
                "--size", value: "WxH",
                help: "The output size, as in 1280x720 or 720p; the picture keeps its aspect ratio."),
            suggestions: ["720p", "1080p", "854x480", "1280x720", "1920x1080", "2560x1440", "3840x2160"],
            store: { $1.outputSize = $0 })

        /// Frames a second. A file's own rate overrides it.
        package let fps = Setting<Int>(
            "fps", .integer(in: 1...240), standard: .value(MediaConfiguration.standardFrameRate),
            option: SettingOption("--fps", value: "n", help: "The maximum frame rate in frames per second."),
            suggestions: ["15", "24", "25", "30", "50", "60"])

        /// kbit/s. It excludes `quality`.
        package let bitrate = Setting<Int>(
            "bitrate", .bitrate(in: 50...200_000),
            standard: .words("with a live destination, chosen by the size and the frame rate"),
            option: SettingOption(
                "--bitrate", value: "kbit/s", help: "The video bitrate in kbit/s.", form: "Also with a unit, as in 6M.",
                standard: .sentence("Default with a live destination: chosen by size."), unit: "kbit/s"),
            needs: .encodedPicture)

        /// x264's CRF.
        package let quality = Setting<Double>(
            "quality", .number(in: 0...51),
            standard: .words("\(Int(MediaConfiguration.standardQuality)) if only files are written"),
            option: SettingOption(
                "--quality", value: "crf", help: "Constant quality instead of a bitrate: x264's CRF, 0 is lossless.",
                standard: .sentence("Default if only files are written: \(Int(MediaConfiguration.standardQuality)).")),
            needs: .encodedPicture)

        package let encoder = Setting<CodingOptions.Library>(
            "encoder", .choice, standard: .value(media.coding.library),
            option: SettingOption(
                "--encoder",
                help: "The library that encodes. openh264 has no 4:4:4, lossless quality or --latency normal."),
            suggestions: [
                .init("x264", "every setting, least processor time"),
                .init("openh264", "another library, with less of both"),
            ],
            needs: .encodedPicture, store: { $1.coding.library = $0 })

        package let preset = Setting<String>(
            "preset", .preset(of: CodingOptions.presets), standard: .value(media.coding.preset),
            option: SettingOption("--preset", value: "name", help: "x264's preset; openh264 distinguishes three."),
            needs: .encodedPicture, store: { $1.coding.preset = $0 })

        package let latency = Setting<CodingOptions.Latency>(
            "latency", .choice, standard: .value(media.coding.latency),
            option: SettingOption(
                "--latency",
                help: "low: send each frame at once. normal: better quality at the same bitrate, with more delay."),
            suggestions: [
                .init("low", "every frame leaves at once"), .init("normal", "slightly better quality, a little later"),
            ],
            needs: .encodedPicture, store: { $1.coding.latency = $0 })

        package let chroma = Setting<ChromaFormat>(
            "chroma", .choice, standard: .value(media.chroma),
            option: SettingOption(
                "--chroma",
                help:
                    "Chroma subsampling: 420 works in every player; 444 keeps small coloured text sharp, for files only."
            ),
            suggestions: [
                .init("420", "works in every player"), .init("444", "keeps small coloured text sharp, for files"),
            ],
            store: { $1.chroma = $0 })

        /// Seconds.
        package let keyframeInterval = Setting<Double>(
            "keyframe-interval", .number(in: 0.1...60), standard: .value(media.coding.keyframeInterval.seconds),
            option: SettingOption("--keyframe-interval", value: "seconds", help: "Seconds between keyframes."),
            needs: .encodedPicture, store: { $1.coding.keyframeInterval = MediaTime(seconds: $0) })

        package let framePacing = Setting<FramePacer.Mode>(
            "frame-pacing", .choice,
            standard: .words(
                "constant for RTMP, standard output, .h264 files and extensions of the mode stream, otherwise variable"),
            option: SettingOption(
                "--frame-pacing", value: "mode",
                help: "constant: send a frame at every tick. variable: send a frame when the picture changed.",
                standard: .sentence(
                    "Default: constant for RTMP, stdout, .h264 files and extensions of the mode stream, otherwise variable."
                )),
            suggestions: [
                .init("constant", "a frame at every tick"), .init("variable", "a frame when the picture changed"),
            ],
            store: { $1.pacing = $0 })

        package let cursor = Setting<Bool>(
            "cursor", .boolean, standard: .value(true),
            option: SettingOption("--cursor", help: "Show the mouse pointer.", standard: .sentence("Default: shown.")))
    }

    /// The table `[audio]`.
    package struct Audio: SettingTable {
        package static let name = "audio"
        package static var declared: Audio { SettingCatalog.audio }

        package let app = Setting<Bool>(
            "app", .boolean, standard: .value(true),
            option: SettingOption("--app-audio", help: "Capture the sound of applications."))

        package let mic = Setting<Bool>(
            "mic", .boolean, standard: .value(false), option: SettingOption("--mic", help: "Capture the microphone."),
            needs: .sound,
            liveCommand: "mic")

        package let appSource = Setting<String>(
            "app-source", .text, standard: .words("the monitor of the default sink"),
            option: SettingOption(
                "--app-source", value: "name|app:name",
                help: "The PulseAudio source of the applications' sound, or app:NAME for one application."),
            needs: .sound, store: { $1.audio.appSource = $0 })

        package let micSource = Setting<String>(
            "mic-source", .text, standard: .words("the default source"),
            option: SettingOption("--mic-source", value: "name", help: "The PulseAudio source for the microphone."),
            needs: .sound, store: { $1.audio.micSource = $0 })

        /// kbit/s.
        package let bitrate = Setting<Int>(
            "bitrate", .bitrate(in: 32...320), standard: .value(media.audio.bitrate),
            option: SettingOption(
                "--audio-bitrate", value: "kbit/s", help: "The audio bitrate in kbit/s.", unit: "kbit/s"),
            suggestions: ["96", "128", "160", "192", "256", "320"], needs: .encodedSound,
            store: { $1.audio.bitrate = $0 })

        /// dB.
        package let appGain = Setting<Double>("app-gain", .number(in: -60...30), standard: .value(0))

        /// dB.
        package let micGain = Setting<Double>("mic-gain", .number(in: -60...30), standard: .value(0))
    }

    /// The table `[privacy]`.
    package struct Privacy: SettingTable {
        package static let name = "privacy"
        package static var declared: Privacy { SettingCatalog.privacy }

        package let notice = Setting<Bool>("notice", .boolean, standard: .value(true))

        /// Windows that viewers must not see. The option adds rules.
        package let hide = Setting<[HiddenWindowRule]>(
            "hide", .rules, standard: .words("no rules"),
            option: SettingOption(
                "--hide", value: "rule",
                help:
                    "Hide these windows, with their dialogs and menus: class:NAME, title:*TEXT*, pid:NUMBER or id:0xNUMBER. Repeatable.",
                standard: .none),
            liveCommand: "hide")

        /// Silence the processes of those windows.
        package let mute = Setting<Bool>("mute", .boolean, standard: .value(false))

        /// What destinations receive about the application on screen.
        package let titles = Setting<ApplicationDetail>(
            "titles", .choice, standard: .words("class for known services, else full"))

        /// Suppress notifications while the screen is broadcast.
        package let doNotDisturb = Setting<Bool>("do-not-disturb", .boolean, standard: .value(true))

        /// Inhibit the idle screen saver, and the lock that comes with it, while the screen is broadcast.
        package let keepAwake = Setting<Bool>("keep-awake", .boolean, standard: .value(true))
    }

    /// The table `[network]`.
    package struct Network: SettingTable {
        package static let name = "network"
        package static var declared: Network { SettingCatalog.network }

        package let proxy = Setting<ProxyAddress>(
            "proxy", .proxy, standard: .words("none"),
            option: SettingOption(
                "--proxy", value: "address",
                help:
                    "Reach servers through a proxy: socks5://[USER@]HOST:PORT, or http://[USER@]HOST:PORT for CONNECT. The password is in "
                    + "the variable BROADCAST_PROXY_PASSWORD.", standard: .none),
            suggestions: ["socks5://", "http://"])

        package let bind = Setting<RTMPRoute.Source>(
            "bind", .localAddress, standard: .words("what the routing tables say"),
            option: SettingOption(
                "--bind", value: "address|interface",
                help: "Send to servers from this IP address or network interface.", standard: .none))

        /// The options are the flags -4 and -6.
        package let ipVersion = Setting<RTMPRoute.Version>("ip-version", .ipVersion, standard: .words("both"))
    }
}

extension SettingValues<SettingCatalog.Privacy> {
    /// Nothing is set.
    package static var unset: Self { Self() }

    /// The rules for windows that viewers must not see.
    package var hide: [HiddenWindowRule] {
        get { self[dynamicMember: \SettingCatalog.Privacy.hide] ?? [] }
        set { self[dynamicMember: \SettingCatalog.Privacy.hide] = newValue }
    }
}

/// The settings that checks and sentences name one by one.
extension SettingProblem.Setting {
    package static let frameRate = SettingCatalog.video.fps.name
    package static let bitrate = SettingCatalog.video.bitrate.name
    package static let quality = SettingCatalog.video.quality.name
    package static let keyframeInterval = SettingCatalog.video.keyframeInterval.name
    package static let preset = SettingCatalog.video.preset.name
    package static let latency = SettingCatalog.video.latency.name
    package static let framePacing = Self(
        option: SettingCatalog.video.framePacing.name.option + " " + FramePacer.Mode.variable.rawValue)
    package static let cursor = SettingCatalog.video.cursor.name
    package static let audioBitrate = SettingCatalog.audio.bitrate.name
    package static let microphone = SettingCatalog.audio.mic.name
    package static let applicationSource = SettingCatalog.audio.appSource.name
    package static let microphoneSource = SettingCatalog.audio.micSource.name
    package static let hiddenWindows = SettingCatalog.privacy.hide.name
    package static let proxy = SettingCatalog.network.proxy.name
    package static let bind = SettingCatalog.network.bind.name
    package static let ipVersion = Self(option: "-4 or -6")
    package static let waitForNetwork = Self(option: "--wait-for-network")
}
