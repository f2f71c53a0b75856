// swift-tools-version: 6.2
import Foundation
import PackageDescription

// MARK: Layers

/// The layers of the program, from the lowest to the highest. Each is a folder of `Sources`, and each module a folder
/// in it. A module uses modules of its own layer and of lower ones; the manifest rejects others, and `DocumentTests`
/// those that a module names and does not import.
let layers = [
    // Libraries of the system, each with a module map and a small header, and C code where Swift cannot do it.
    Layer(
        "System",
        [
            .library(
                "CX11", pkgConfig: "x11 x11-xcb xcb xext xcomposite xdamage xfixes xi xrandr xscrnsaver",
                packages: [
                    "libx11-dev", "libx11-xcb-dev", "libxcb1-dev", "libxext-dev", "libxcomposite-dev", "libxdamage-dev",
                    "libxfixes-dev", "libxi-dev", "libxrandr-dev",
                    "libxss-dev",
                ]),
            // Opens a library when its functions are needed for the first time.
            .c("CLateLibrary"),
            // libpulse, opened at run time: extensions, and commands that record no sound, do not need it.
            .c("CPulse", uses: ["CLateLibrary"]),
            .library("CX264", packages: ["libx264-dev"]),
            // The second encoder of H.264.
            .library("COpenH264", pkgConfig: "openh264", packages: ["libopenh264-dev"]),
            // libavcodec and libswresample, opened at run time for sound: they need 57 other libraries.
            .c("CAVCodec", uses: ["CLateLibrary"]),
            .c("CSWResample", uses: ["CLateLibrary"]),
            .library("CYUV", packages: ["libyuv-dev"]),
            // PNG for `broadcast preview`. libavcodec already depends on it.
            .library("CPNG", pkgConfig: "libpng", packages: ["libpng-dev"]),
            // Sixel pictures on terminals, for previews. It is small and depends only on libm.
            .library("CSixel", packages: ["libsixel-dev"]),
            // QR codes on terminals, for addresses that a phone opens. It needs only libc.
            .library("CQREncode", pkgConfig: "libqrencode", packages: ["libqrencode-dev"]),
            // TLS for RTMPS, and for the HTTP client of the hls extension.
            .library("COpenSSL", pkgConfig: "libssl libcrypto", packages: ["libssl-dev"]),
            // libcurl, opened at run time for the hls and whip extensions: it needs 30 other libraries. It must be the
            // one that uses OpenSSL.
            .c("CCurl", uses: ["CLateLibrary"]),
            // Encrypted RTP, and the sound of WebRTC. Both need only libc and OpenSSL.
            .library("CSRTP", pkgConfig: "libsrtp2", packages: ["libsrtp2-dev"]),
            .library("COpus", pkgConfig: "opus", packages: ["libopus-dev"]),
            // libsrt, opened at run time for the srt extension, so that other users do not need it.
            .c("CSRT", uses: ["CLateLibrary"]),
            // The desktop's session bus. libpulse is linked with this library, too.
            .library("CDBus", pkgConfig: "dbus-1", packages: ["libdbus-1-dev"]),
            // Linux calls that Swift cannot import, and the code between fork and exec.
            .c("CLinux"),
            // Pixel kernels for BGRA to I420 in BT.709, which this version of libyuv does not have.
            .c("CPixelKernels"),
            // Debian's toml++ with a C interface. It stores the line of each value and, unlike TOMLKit, needs no
            // Foundation.
            .c("CTOMLPlusPlus"),
            // The headers of SPA, without a library: PipeWire's formats and buffers.
            .library("CSPA", pkgConfig: "libspa-0.2", packages: ["libspa-0.2-dev"]),
            // libpipewire, opened at run time, so that a machine without it still captures X11.
            .c("CPipeWire", uses: ["CSPA"]),
            // The outputs of a Wayland compositor. Every desktop has libwayland-client.
            .library("CWayland", pkgConfig: "wayland-client", packages: ["libwayland-dev"]),
            .c("COutputs", uses: ["CWayland"]),
            // libsecret, opened at run time in a helper process, so that the broadcaster never loads GLib.
            .c("CSecret"),
        ]),
    // Values and tools that know nothing about broadcasts.
    Layer(
        "Base",
        [
            // Time, pixels, sample buffers, packets, damage, and the queue of packets.
            .swift("Media"),
            // Threads, waits with deadlines, the session's clock, and the waits between tries.
            .swift("Concurrency", uses: ["CLinux", "Media"]),
            // Child processes, pipes, descriptors, and files with a lock.
            .swift("Processes", uses: ["CLinux", "Concurrency"]),
            // One connection to the session bus of D-Bus.
            .swift("Bus", uses: ["CDBus", "Concurrency"]),
        ]),
    // Bitstreams and containers as values, without I/O.
    Layer(
        "Formats",
        [
            // Reads and writes the headers of H.264 and AAC. Mux writes containers.
            .swift("Bitstream", uses: ["Media"]),
            .swift("Mux", uses: ["Media", "Bitstream"]),
            // Segments and playlists.
            .swift("HLS", uses: ["Media", "Mux"]),
        ]),
    // What sends over a network.
    Layer(
        "Network",
        [
            // The threads of SwiftNIO, and the clients of proxies.
            .swift("NetworkSupport", uses: ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOExtras", "NIOSOCKS"]),
            // TLS as channel handlers on OpenSSL, which verifies certificates and the identity of servers.
            .swift("TLS", uses: ["COpenSSL", "NIOCore", "NIOTLS"]),
            // The publisher's side of RTMP: a state machine without I/O, and its transport.
            .swift("RTMP", uses: ["Media", "Mux", "NetworkSupport", "TLS", "NIOCore", "NIOPosix", "NIOTLS"]),
            // Requests to HTTP servers, by libcurl.
            .swift("HTTPClient", uses: ["CCurl", "COpenSSL", "Concurrency", "TLS"]),
            // What browsers ask the page of the lan extension for: rules, limits, and the messages on its WebSocket.
            .swift("PageRequests", uses: ["NIOCore", "NIOHTTP1", "NIOWebSocket"]),
            // A sender of WebRTC without sockets: ICE, DTLS, SRTP, RTP and its feedback.
            .swift("WebRTC", uses: ["COpenSSL", "CSRTP", "Media", "Bitstream"]),
        ]),
    // Where pictures and sound come from. A module with a source imports Capture and one device API, and no other
    // source.
    Layer(
        "Devices",
        [
            // What all sources have in common: the protocol ScreenSource, its errors and notices.
            .swift("Capture", uses: ["Media", "Concurrency"]),
            // Which windows are hidden, and what a picture must cover, as values.
            .swift("WindowPrivacy", uses: ["Media"]),
            // Screens, monitors and windows of an X server.
            .swift(
                "X11Capture",
                uses: ["CX11", "CLinux", "CPixelKernels", "Media", "Concurrency", "Capture", "WindowPrivacy"]),
            // What a Wayland desktop shares: its portal, and PipeWire streams.
            .swift(
                "PortalCapture",
                uses: [
                    "CPipeWire", "COutputs", "Media", "Concurrency", "Processes", "Bus", "Capture", "WindowPrivacy",
                ]),
            // The sound of applications, and the microphone.
            .swift("PulseCapture", uses: ["CPulse", "Media", "Concurrency", "WindowPrivacy"]),
            // Pictures and sound of files, and of the program itself.
            .swift("ContentCapture", uses: ["Media", "Concurrency", "Capture"]),
        ]),
    // From pictures and sound to packets.
    Layer(
        "Codecs",
        [
            // Before the encoders: conversion, scaling and the slate; mixing and resampling of sound.
            .swift("Mix", uses: ["CSWResample", "CYUV", "CPixelKernels", "Media"]),
            // The encoder of Opus, for the session's sound and for extensions.
            .swift("Opus", uses: ["COpus", "Media"]),
            // The encoders, and the rate control of the screen: H.264, AAC, PNG, Sixel.
            .swift(
                "Encode",
                uses: [
                    "CX264", "COpenH264", "CAVCodec", "CYUV", "CPixelKernels", "CPNG", "CSixel", "Media",
                    "Bitstream",
                ]),
        ]),
    // One broadcast: its pipeline, its destinations, and the handlers that write to them.
    Layer(
        "Session",
        [
            // From the source to the queues of the destinations: pictures, sound, encoders, and the clip buffer.
            .swift(
                "Pipeline",
                uses: [
                    "Media", "Concurrency", "Capture", "WindowPrivacy", "X11Capture", "PortalCapture", "PulseCapture",
                    "ContentCapture", "Mix", "Encode", "Opus",
                ]),
            // The library of extensions: both sides of their connection to the host.
            .swift("BroadcastExtension", uses: ["CLinux", "Media", "Processes", "Bitstream"]),
            // What writes to one destination: files, standard output, RTMP, extensions, clips.
            .swift(
                "Upload", uses: ["Media", "Concurrency", "Processes", "Bitstream", "Mux", "RTMP", "BroadcastExtension"]),
            // The life cycle of the broadcast and of each destination.
            .swift(
                "Session",
                uses: ["Media", "Concurrency", "Processes", "RTMP", "Capture", "WindowPrivacy", "Pipeline", "Upload"]),
        ]),
    // The shipped extensions. Each runs in a process of its own, so that its libraries, memory and crashes do not affect
    // the broadcaster. Their manifests are in Extensions/.
    Layer(
        "Extensions",
        [
            // A folder, or uploads by HTTP.
            .swift(
                "HLSExtension",
                uses: ["Media", "Concurrency", "Processes", "HLS", "TLS", "HTTPClient", "BroadcastExtension"]),
            // A page for browsers in the same network.
            .swift(
                "LANExtension",
                uses: [
                    "Bus", "Media", "Concurrency", "Bitstream", "HLS", "Mux", "Opus", "NetworkSupport", "TLS",
                    "PageRequests", "WebRTC", "BroadcastExtension", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket",
                ], embedded: ["page.html"]),
            .swift("SRTExtension", uses: ["CSRT", "Media", "Concurrency", "Processes", "Mux", "BroadcastExtension"]),
            // Sockets and HTTP around WebRTC.
            .swift(
                "WHIPExtension",
                uses: [
                    "CLinux", "Media", "Concurrency", "Bitstream", "TLS", "HTTPClient", "WebRTC",
                    "BroadcastExtension",
                ]),
        ]),
    // The host of a session on a desktop.
    Layer(
        "Host",
        [
            // The configuration file, manifests and services: from a name to a destination.
            .swift(
                "UserConfiguration",
                uses: [
                    "CTOMLPlusPlus", "Media", "Processes", "RTMP", "WindowPrivacy", "X11Capture", "PortalCapture",
                    "ContentCapture", "Mix", "Encode", "Pipeline", "Upload", "Session",
                ]),
            // Stream keys and sign-in: Secret Service, private files, key commands, setup programs.
            .swift("Credentials", uses: ["CSecret", "Media", "Processes", "Upload", "UserConfiguration"]),
            // The control socket between a running session and the commands: messages, server, client.
            .swift("Control", uses: ["Processes", "NetworkSupport", "NIOCore", "NIOPosix"]),
            // The desktop around a session: do-not-disturb, screen saver, lock state, indicator.
            .swift("Desktop", uses: ["Concurrency", "Processes", "Bus"]),
            // The picker and the completion of command lines, without a terminal.
            .swift("CommandModels"),
            // One running session: its request, name, log and events, also in the background.
            .swift(
                "Host",
                uses: [
                    "Media", "Concurrency", "Processes", "Capture", "WindowPrivacy", "PortalCapture", "Encode",
                    "Opus", "Pipeline", "Upload", "Session", "UserConfiguration", "Credentials", "Control", "Desktop",
                ]),
            // Examines what a broadcast needs, without starting one.
            .swift(
                "Doctor",
                uses: [
                    "CAVCodec", "CCurl", "CDBus", "COpenH264", "COpenSSL", "CPulse", "CSRT", "CX264", "Media",
                    "Concurrency", "Bus", "RTMP", "Capture", "X11Capture", "PortalCapture", "PulseCapture",
                    "Encode",
                    "Upload", "Session", "UserConfiguration", "Credentials",
                ]),
        ]),
    // What a person or another program uses.
    Layer(
        "Programs",
        [
            // The public API for a session inside another program.
            .swift(
                "BroadcastKit",
                uses: [
                    "Media", "Concurrency", "RTMP", "WindowPrivacy", "ContentCapture", "Upload", "Session",
                    "UserConfiguration", "Credentials", "Control", "Host",
                ]),
            // The sentences of the command: errors, notices and lines of status, in one place.
            .swift(
                "Presentation",
                uses: [
                    "Media", "Concurrency", "Processes", "RTMP", "Capture", "WindowPrivacy", "X11Capture",
                    "PortalCapture", "PulseCapture", "Encode", "Pipeline", "Upload", "Session", "UserConfiguration",
                    "Credentials", "Control", "Desktop", "CommandModels", "Host", "Doctor",
                ]),
            // The terminal of the command: output, questions, keys, signals and pictures.
            .swift(
                "Terminal",
                uses: [
                    "CQREncode", "Media", "Concurrency", "Processes", "Encode", "Session", "UserConfiguration",
                    "Credentials",
                    "CommandModels", "Host", "Presentation",
                ]),
            // The command: subcommands, options, and the values that complete them.
            .program(
                "broadcast",
                uses: [
                    "CLinux", "Media", "Concurrency", "Processes", "RTMP", "Capture", "WindowPrivacy", "X11Capture",
                    "PortalCapture", "PulseCapture", "Encode", "Pipeline", "Upload", "Session", "UserConfiguration",
                    "Credentials", "Control", "Desktop", "CommandModels", "Host", "Doctor", "Presentation",
                    "Terminal", "BroadcastExtension", "HLSExtension", "LANExtension", "SRTExtension", "WHIPExtension",
                    "ArgumentParser",
                ],
                // Links to the files in completions/.
                embedded: ["broadcast.bash", "_broadcast", "broadcast.fish"].map { "Completion/Scripts/" + $0 }),
        ]),
]

// MARK: Examples and tests

let examples: [Module] = [
    // A session inside another program: of its window, and of pictures of its own.
    .program("in-app", uses: ["BroadcastKit"]),
    .program("own-pictures", uses: ["BroadcastKit"]),
    // An extension in Swift, with its manifest in the same folder.
    .program("keyframe-watch", uses: ["BroadcastExtension"], excludes: ["extension.toml"]),
    // The RTMP library: publishes an FLV file.
    .program("flv-publish", uses: ["RTMP"]),
]

/// What tests share: machine-readable patterns, a program that draws and plays them, a screen cast without a
/// compositor, real peers, and stand-ins.
let support: [Module] = [
    .support("TestPatterns"),
    // They link libpulse and libpipewire; the broadcaster opens them at run time.
    .library("CPulseDev", pkgConfig: "libpulse", packages: ["libpulse-dev"]),
    .program("TestScreen", uses: ["TestPatterns", "CX11", "CPulseDev"]),
    .library("CPipeWireDev", pkgConfig: "libpipewire-0.3", packages: ["libpipewire-0.3-dev"]),
    .c("CTestCast", uses: ["CPipeWireDev"]),
    .c("CPipeWireFaults", uses: ["CPipeWire", "CSPA"]),
    .c("CCompositorInput", uses: ["CPipeWire", "CSPA"]),
    .program("TestCast", uses: ["TestPatterns", "CTestCast"]),
    .support("TestSupport", uses: ["TestPatterns"], excludes: ["Programs"]),
    .support(
        "SessionFakes",
        uses: ["Media", "Concurrency", "Capture", "WindowPrivacy", "Pipeline", "Upload", "Session", "TestSupport"]),
    .support("ExtensionFakes", uses: ["Upload", "TestSupport"]),
    .support(
        "FuzzTargets",
        uses: [
            "CTOMLPlusPlus", "CCompositorInput", "Media", "Bitstream", "Mux", "RTMP", "BroadcastExtension", "Upload",
            "UserConfiguration", "Credentials", "Control", "CommandModels", "TestPatterns", "NIOCore", "NIOEmbedded",
            "NIOHTTP1", "HTTPClient", "PageRequests", "WebRTC",
        ]),
]

let tests: [Module] = [
    // Links, file names and the list of modules in the documents.
    .test("DocumentTests"),
    .test("ConcurrencyTests", uses: ["Media", "Concurrency", "TestSupport"]),
    .test("MediaTests", uses: ["Media", "TestPatterns"]),
    .test("ProcessesTests", uses: ["CLinux", "Concurrency", "Processes", "TestSupport"]),
    .test("BusTests", uses: ["Bus", "TestSupport"]),
    .test("BitstreamTests", uses: ["Media", "Bitstream", "FuzzTargets"]),
    .test("MuxTests", uses: ["Media", "Bitstream", "Mux", "TestPatterns"]),
    .test("TLSTests", uses: ["COpenSSL", "TLS", "TestSupport", "NIOCore", "NIOEmbedded", "NIOTLS"]),
    .test(
        "RTMPTests",
        uses: [
            "Media", "Mux", "NetworkSupport", "TLS", "RTMP", "Upload", "TestPatterns", "TestSupport", "FuzzTargets",
            "NIOCore", "NIOPosix", "flv-publish",
        ], excludes: ["Corpus"]),
    .test("WindowPrivacyTests", uses: ["Media", "WindowPrivacy"]),
    .test(
        "CaptureTests",
        uses: [
            "CX11", "CPipeWire", "Media", "Concurrency", "Capture", "WindowPrivacy", "X11Capture", "PortalCapture",
            "PulseCapture", "ContentCapture", "Mix", "TestPatterns", "TestSupport", "CPipeWireFaults",
            "CCompositorInput", "FuzzTargets", "TestScreen", "TestCast",
        ]),
    .test("MixTests", uses: ["CYUV", "CPixelKernels", "Media", "Mix", "TestPatterns"]),
    .test("EncodeTests", uses: ["CX264", "Media", "Bitstream", "Encode"]),
    .test("BroadcastExtensionTests", uses: ["Media", "Bitstream", "BroadcastExtension"]),
    .test(
        "UploadTests",
        uses: ["Media", "Processes", "BroadcastExtension", "Upload", "TestSupport", "ExtensionFakes", "FuzzTargets"]),
    .test("PipelineTests", uses: ["Media", "Concurrency", "Pipeline", "SessionFakes"]),
    .test(
        "SessionTests",
        uses: [
            "Media", "Concurrency", "RTMP", "Capture", "WindowPrivacy", "X11Capture", "ContentCapture", "Mix", "Encode",
            "Pipeline", "Upload", "Session", "TestSupport", "SessionFakes",
        ]),
    .test(
        "UserConfigurationTests",
        uses: [
            "Media", "Processes", "RTMP", "WindowPrivacy", "X11Capture", "ContentCapture", "Mix", "Encode", "Pipeline",
            "Upload", "Session", "UserConfiguration", "TestSupport", "FuzzTargets",
        ]),
    .test("CredentialsTests", uses: ["Processes", "UserConfiguration", "Credentials", "TestSupport", "FuzzTargets"]),
    .test("ControlTests", uses: ["Control", "TestSupport", "FuzzTargets"]),
    .test("DesktopTests", uses: ["Concurrency", "Desktop", "TestSupport"]),
    .test("CommandModelsTests", uses: ["CommandModels", "FuzzTargets"]),
    .test(
        "HostTests",
        uses: [
            "Media", "Concurrency", "Processes", "RTMP", "Capture", "PortalCapture", "ContentCapture", "Upload",
            "Session",
            "UserConfiguration", "Credentials", "Control", "Desktop", "Host", "BroadcastKit", "TestSupport",
            "SessionFakes", "ExtensionFakes",
        ]),
    .test(
        "PresentationTests",
        uses: [
            "Media", "Processes", "RTMP", "Capture", "WindowPrivacy", "X11Capture", "PortalCapture", "PulseCapture",
            "Encode", "Pipeline", "Upload", "Session", "UserConfiguration", "Credentials", "Control", "Desktop", "Host",
            "Doctor",
            "Presentation", "TestSupport",
        ]),
    .test(
        "TerminalTests",
        uses: [
            "Media", "Concurrency", "Upload", "Session", "UserConfiguration", "Credentials", "Desktop", "CommandModels",
            "Host", "Presentation", "Terminal", "TestSupport",
        ]),
    .test("HLSTests", uses: ["Media", "HLS", "HTTPClient", "BroadcastExtension", "HLSExtension", "TestSupport"]),
    .test(
        "LANTests",
        uses: [
            "Media", "HLS", "PageRequests", "WebRTC", "BroadcastExtension", "LANExtension", "TestSupport",
        ]),
    .test("PageRequestsTests", uses: ["PageRequests", "FuzzTargets", "NIOCore", "NIOEmbedded", "NIOHTTP1"]),
    .test("WebRTCTests", uses: ["Media", "WebRTC", "FuzzTargets"]),
    .test("OpusTests", uses: ["COpus", "Media", "Opus"]),
    .test("WHIPTests", uses: ["HTTPClient", "BroadcastExtension", "WHIPExtension", "FuzzTargets"]),
    .test("SRTTests", uses: ["Media", "Concurrency", "BroadcastExtension", "SRTExtension", "TestSupport"]),
    .test("TestSupportTests", uses: ["TestPatterns", "TestSupport", "TestScreen"]),
    .test(
        "EndToEndTests",
        uses: [
            "TestPatterns", "TestSupport", "TestScreen", "TestCast", "broadcast", "in-app", "own-pictures",
            "keyframe-watch", "is-captured",
        ]),
    // Fault injection, which takes minutes: make test-faults. It shares its fixtures with EndToEndTests.
    .test(
        "FaultTests",
        uses: [
            "BroadcastKit", "TestPatterns", "TestSupport", "TestScreen", "TestCast", "broadcast",
        ]),
    .test(
        "BroadcastTests",
        uses: [
            "Media", "WindowPrivacy", "X11Capture", "Session", "UserConfiguration", "Credentials", "CommandModels",
            "Presentation", "broadcast", "TestSupport", "ArgumentParser",
        ]),
]

// MARK: Package

/// The packages that are used, and their products.
let packages: [(url: String, version: Version, products: [String])] = [
    // The command line: generates subcommands, help, completions and the manual from one declaration.
    ("https://github.com/apple/swift-argument-parser", "1.8.0", ["ArgumentParser"]),
    // Non-blocking sockets for RTMP, for the control socket, and for the page of the lan extension.
    (
        "https://github.com/apple/swift-nio", "2.101.0",
        ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOTLS", "NIOEmbedded"]
    ),
    // Clients of proxies for RTMP: SOCKS 5, and CONNECT of HTTP.
    ("https://github.com/apple/swift-nio-extras", "1.24.0", ["NIOExtras", "NIOSOCKS"]),
]

/// The same packages and those that they use, in a source archive (`packaging/make-dist`). Then nothing is fetched.
let vendored = ((try? FileManager.default.contentsOfDirectory(atPath: Context.packageDirectory + "/vendor")) ?? [])
    .sorted()

let package = Package(
    name: "broadcast",
    products: [
        .executable(name: "broadcast", targets: ["broadcast"]),
        // The API of RTMP uses the packets and formats of Media, the FLVError of Mux, the ProxyProblem of
        // NetworkSupport and the TLSProblem of TLS.
        .library(name: "RTMP", targets: ["RTMP", "Media", "Mux", "NetworkSupport", "TLS"]),
        .library(name: "BroadcastExtension", targets: ["BroadcastExtension"]),
        .library(name: "BroadcastKit", targets: ["BroadcastKit"]),
        .executable(name: "keyframe-watch", targets: ["keyframe-watch"]),
        .executable(name: "flv-publish", targets: ["flv-publish"]),
        // For the package in Fuzz/, which links libFuzzer.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    dependencies: vendored.isEmpty
        ? packages.map { .package(url: $0.url, from: $0.version) } : vendored.map { .package(path: "vendor/" + $0) },
    targets: layers.flatMap(\.targets)
        + examples.map { $0.target(in: "Examples") }
        + support.map { $0.target(in: "Tests") }
        + tests.map { $0.target(in: "Tests") }
        + [
            // An example in C that pauses its film while the display is being broadcast. It needs only Xlib.
            .executableTarget(
                name: "is-captured", path: "Examples/is-captured", cSettings: [.treatAllWarnings(as: .error)],
                linkerSettings: [.linkedLibrary("X11"), .linkedLibrary("Xfixes")]),
            Module.program("EncoderBenchmark", uses: ["CX264", "Encode", "Media"]).target(at: "Benchmarks/Encoder"),
            Module.program("PixelConversionBenchmark", uses: ["Media", "Mix", "CYUV"]).target(
                at: "Benchmarks/PixelConversion"),
        ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
checkLayers()

// MARK: Declarations

/// A folder of `Sources` with modules.
struct Layer {
    let name: String
    let modules: [Module]

    init(_ name: String, _ modules: [Module]) {
        (self.name, self.modules) = (name, modules)
    }

    var targets: [Target] { modules.map { $0.target(in: "Sources/\(name)") } }
}

/// A target: its name, and the modules and products of other packages that it may import.
struct Module {
    enum Kind {
        case swift, program, test, c
        /// A library of the system, found with pkg-config, and the Debian packages that have it.
        case library(pkgConfig: String?, packages: [String])
    }

    let name: String
    let kind: Kind
    var uses: [String] = []
    var excludes: [String] = []
    /// Files whose bytes become constants of the program.
    var embedded: [String] = []

    static func swift(_ name: String, uses: [String] = [], embedded: [String] = []) -> Module {
        Module(name: name, kind: .swift, uses: uses, embedded: embedded)
    }
    static func c(_ name: String, uses: [String] = []) -> Module { Module(name: name, kind: .c, uses: uses) }
    static func program(
        _ name: String, uses: [String] = [], excludes: [String] = [], embedded: [String] = []
    ) -> Module {
        Module(name: name, kind: .program, uses: uses, excludes: excludes, embedded: embedded)
    }
    static func support(_ name: String, uses: [String] = [], excludes: [String] = []) -> Module {
        Module(name: name, kind: .swift, uses: uses, excludes: excludes)
    }
    static func test(_ name: String, uses: [String] = [], excludes: [String] = []) -> Module {
        Module(name: name, kind: .test, uses: uses, excludes: excludes)
    }
    static func library(_ name: String, pkgConfig: String? = nil, packages: [String]) -> Module {
        Module(name: name, kind: .library(pkgConfig: pkgConfig, packages: packages))
    }

    func target(in folder: String) -> Target { target(at: "\(folder)/\(name)") }

    /// Every Swift target uses the Swift 6 language mode, and each treats warnings as errors.
    func target(at path: String) -> Target {
        let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
        switch kind {
        case .swift:
            return .target(
                name: name, dependencies: dependencies, path: path, exclude: excludes,
                resources: embedded.map { .embedInCode($0) }, swiftSettings: strict)
        case .program:
            return .executableTarget(
                name: name, dependencies: dependencies, path: path, exclude: excludes,
                resources: embedded.map { .embedInCode($0) }, swiftSettings: strict)
        case .test:
            return .testTarget(
                name: name, dependencies: dependencies, path: path, exclude: excludes, swiftSettings: strict)
        case .c:
            return .target(
                name: name, dependencies: dependencies, path: path,
                cSettings: [
                    .treatAllWarnings(as: .error), .define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release)),
                ],
                cxxSettings: [.treatAllWarnings(as: .error)])
        case .library(let pkgConfig, let packages):
            return .systemLibrary(name: name, path: path, pkgConfig: pkgConfig, providers: [.apt(packages)])
        }
    }

    private var dependencies: [Target.Dependency] {
        uses.map { name in
            guard let package = packages.first(where: { $0.products.contains(name) }) else {
                return .byName(name: name)
            }
            return .product(name: name, package: String(package.url.split(separator: "/").last ?? ""))
        }
    }
}

/// Ends with a message if a module uses one of a higher layer.
func checkLayers() {
    var known = Set(packages.flatMap(\.products))
    for layer in layers {
        known.formUnion(layer.modules.map(\.name))
        for module in layer.modules {
            let higher = Set(module.uses).subtracting(known).sorted()
            precondition(
                higher.isEmpty,
                "\(module.name) is in the layer \(layer.name) and uses \(higher), which are in a higher one or do not exist"
            )
        }
    }
}
