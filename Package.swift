// swift-tools-version: 6.2
import PackageDescription

/// Every target uses the Swift 6 language mode (the default of this tools version) and treats warnings as errors.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "broadcast",
    products: [
        .executable(name: "broadcast", targets: ["broadcast"]),
        // The API of RTMP uses the packets and formats of Media, the FLVError of Mux, the ProxyProblem of ProxyTunnel and the TLSProblem of TLS.
        .library(name: "RTMP", targets: ["RTMP", "Media", "Mux", "ProxyTunnel", "TLS"]),
        .library(name: "BroadcastExtension", targets: ["BroadcastExtension"]),
        .library(name: "BroadcastKit", targets: ["BroadcastKit"]),
        .executable(name: "broadcast-hls", targets: ["broadcast-hls"]),
        .executable(name: "broadcast-srt", targets: ["broadcast-srt"]),
        .executable(name: "keyframe-watch", targets: ["keyframe-watch"]),
        .executable(name: "flv-publish", targets: ["flv-publish"]),
        // For the package in Fuzz/, which links libFuzzer.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    dependencies: [
        // The command line: generates subcommands, help, completions and the manual from one declaration.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Non-blocking sockets for RTMP and for the control socket.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // TLS for RTMPS: BoringSSL as a channel handler, with certificates checked against the system's store.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // Clients of proxies for RTMP: SOCKS 5, and CONNECT of HTTP. async-http-client depends on it too.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.24.0"),
        // HTTP for the hls extension, a separate program: persistent connections, TLS, deadlines.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        // System libraries: only a module map and a shim header each.
        .systemLibrary(
            name: "CX11", pkgConfig: "x11 x11-xcb xcb xext xcomposite xdamage xfixes xi xrandr xscrnsaver",
            providers: [
                .apt([
                    "libx11-dev", "libx11-xcb-dev", "libxcb1-dev", "libxext-dev", "libxcomposite-dev", "libxdamage-dev", "libxfixes-dev",
                    "libxi-dev", "libxrandr-dev", "libxss-dev",
                ])
            ]),
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CX264", providers: [.apt(["libx264-dev"])]),
        .systemLibrary(name: "CAVCodec", pkgConfig: "libavcodec libavutil", providers: [.apt(["libavcodec-dev", "libavutil-dev"])]),
        .systemLibrary(name: "CSWResample", pkgConfig: "libswresample libavutil", providers: [.apt(["libswresample-dev"])]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        // PNG for `broadcast preview`. libavcodec already depends on it.
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        // Sixel pictures on terminals, for previews. It is small and depends only on libm.
        .systemLibrary(name: "CSixel", providers: [.apt(["libsixel-dev"])]),
        // Only for the srt extension, a separate program, so that other users do not need libsrt.
        .systemLibrary(name: "CSRT", pkgConfig: "srt", providers: [.apt(["libsrt-openssl-dev"])]),
        // The desktop's session bus. This library is loaded anyway, because libpulse is linked with it.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // Linux calls that Swift cannot import, and the code between fork and exec.
        .target(name: "CLinux", cSettings: [.treatAllWarnings(as: .error)]),
        // Pixel kernels for BGRA to I420 in BT.709, which this version of libyuv does not have.
        .target(name: "CPixelKernels", cSettings: [.treatAllWarnings(as: .error)]),

        // Debian's toml++ with a C interface. It stores the line of each value and, unlike TOMLKit, needs no Foundation.
        .target(name: "CTOMLPlusPlus", cxxSettings: [.treatAllWarnings(as: .error)]),

        // The headers of SPA, without a library: PipeWire's formats and buffers.
        .systemLibrary(name: "CSPA", pkgConfig: "libspa-0.2", providers: [.apt(["libspa-0.2-dev"])]),
        // libpipewire, opened at run time, so that a machine without it still captures X11.
        .target(name: "CPipeWire", dependencies: ["CSPA"], cSettings: [.treatAllWarnings(as: .error)]),

        // The outputs of a Wayland compositor. Every desktop has libwayland-client.
        .systemLibrary(name: "CWayland", pkgConfig: "wayland-client", providers: [.apt(["libwayland-dev"])]),
        .target(name: "COutputs", dependencies: ["CWayland"], cSettings: [.treatAllWarnings(as: .error)]),

        // libsecret, opened at run time in a helper process, so that the broadcaster never loads GLib.
        .target(name: "CSecret", cSettings: [.treatAllWarnings(as: .error)]),

        // Base modules.
        .target(name: "Media", swiftSettings: strict),
        .target(name: "Concurrency", dependencies: ["Media", "CLinux"], swiftSettings: strict),
        .target(name: "Processes", dependencies: ["Concurrency", "CLinux"], swiftSettings: strict),
        .target(name: "Bus", dependencies: ["CDBus", "Concurrency"], swiftSettings: strict),

        // Devices and codecs. A module with a source imports Capture and one device API, and no other source.
        .target(name: "Capture", dependencies: ["Concurrency", "Media"], swiftSettings: strict),
        .target(name: "WindowPrivacy", dependencies: ["Concurrency", "Media"], swiftSettings: strict),
        .target(name: "X11Client", dependencies: ["Capture", "Concurrency", "Media", "CX11", "CLinux"], swiftSettings: strict),
        .target(
            name: "X11Capture",
            dependencies: ["X11Client", "Capture", "WindowPrivacy", "Concurrency", "Media", "CX11", "CPixelKernels"],
            swiftSettings: strict),
        .target(
            name: "PortalCapture", dependencies: ["Bus", "Capture", "WindowPrivacy", "Processes", "Concurrency", "Media", "CPipeWire", "COutputs"],
            swiftSettings: strict),
        .target(name: "PulseCapture", dependencies: ["Capture", "WindowPrivacy", "Concurrency", "Media", "CPulse"], swiftSettings: strict),
        .target(name: "ContentCapture", dependencies: ["Capture", "Concurrency", "Media"], swiftSettings: strict),
        .target(name: "Mix", dependencies: ["Media", "Concurrency", "CPixelKernels", "CYUV", "CSWResample"], swiftSettings: strict),
        // Reads and writes the headers of H.264 and AAC. Mux writes containers.
        .target(name: "Bitstream", dependencies: ["Media"], swiftSettings: strict),
        .target(name: "Encode", dependencies: ["Bitstream", "Media", "CX264", "CYUV", "CAVCodec", "CPNG", "CSixel"], swiftSettings: strict),
        .target(name: "Mux", dependencies: ["Bitstream", "Media"], swiftSettings: strict),
        .target(name: "EventLoops", dependencies: [.product(name: "NIOPosix", package: "swift-nio")], swiftSettings: strict),
        .target(
            name: "ProxyTunnel",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"), .product(name: "NIOSOCKS", package: "swift-nio-extras"),
            ],
            swiftSettings: strict),
        // What a TLS client trusts: certificates and the identity of servers.
        .target(
            name: "TLS",
            dependencies: [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl")],
            swiftSettings: strict),
        .target(
            name: "RTMP",
            dependencies: [
                "Media", "Mux", "ProxyTunnel", "TLS", "EventLoops", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(
            name: "Upload", dependencies: ["Media", "Concurrency", "Processes", "Bitstream", "Mux", "RTMP", "BroadcastExtension"],
            swiftSettings: strict),
        // From the encoded packets to the handlers: queues, the life cycle of each destination, and the clip buffer.
        .target(name: "Destinations", dependencies: ["Media", "Concurrency", "Upload"], swiftSettings: strict),
        .target(
            name: "Session",
            dependencies: [
                "Destinations", "Media", "Concurrency", "Capture", "WindowPrivacy", "X11Capture", "PortalCapture", "PulseCapture", "ContentCapture",
                "Mix", "Encode", "Mux", "Upload", "RTMP", "Processes",
            ],
            swiftSettings: strict),
        // The host of a session on a desktop.
        .target(
            name: "UserConfiguration",
            dependencies: [
                "Media", "Encode", "Mix", "RTMP", "Upload", "Session", "WindowPrivacy", "X11Capture", "PortalCapture", "ContentCapture",
                "CTOMLPlusPlus", "Processes",
            ],
            swiftSettings: strict),
        .target(name: "Credentials", dependencies: ["UserConfiguration", "Processes", "Media", "RTMP", "Upload", "CSecret"], swiftSettings: strict),
        .target(name: "PickerModel", swiftSettings: strict),
        .target(
            name: "Control",
            dependencies: [
                "EventLoops", "Processes", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // Notifications, indicators and screen lockers, on the session bus.
        .target(name: "Desktop", dependencies: ["Bus", "Concurrency", "Processes"], swiftSettings: strict),
        .target(
            name: "Host",
            dependencies: [
                "UserConfiguration", "Control", "Desktop", "Session", "Destinations", "Capture", "WindowPrivacy", "Upload", "Processes",
                "Concurrency", "Media",
            ],
            swiftSettings: strict),
        .target(name: "BroadcastExtension", dependencies: ["Bitstream", "Media", "Processes", "CLinux"], swiftSettings: strict),
        // A session in a background process: both ends of the connection between the command and that process.
        .target(name: "Launch", dependencies: ["Control", "Credentials", "Processes", "Concurrency"], swiftSettings: strict),
        // A test broadcast for an extension, and what the extension does wrong.
        .target(name: "ExtensionCheck", dependencies: ["Encode", "Media", "Upload"], swiftSettings: strict),
        // The sentences of the command: errors, notices and lines of status, in one place.
        .target(
            name: "Presentation",
            dependencies: [
                "Host", "Launch", "ExtensionCheck", "UserConfiguration", "Credentials", "PickerModel", "Session", "Destinations", "Control",
                "Desktop", "Media", "Processes", "Capture", "WindowPrivacy", "X11Capture", "PortalCapture", "PulseCapture", "Encode", "Upload",
                "RTMP",
            ],
            swiftSettings: strict),
        // The terminal of the command: output, questions, keys, signals and pictures.
        .target(
            name: "Terminal",
            dependencies: [
                "Presentation", "Host", "Launch", "Session", "Destinations", "PickerModel", "UserConfiguration", "Credentials", "Encode", "Processes",
                "Concurrency", "Media",
            ],
            swiftSettings: strict),
        // Completion of command lines, for the scripts of the shells.
        .target(name: "CommandCompletion", dependencies: ["PickerModel"], swiftSettings: strict),
        .executableTarget(
            name: "broadcast",
            dependencies: [
                "Terminal", "CommandCompletion", "BroadcastKit", "Presentation", "Host", "Launch", "ExtensionCheck", "UserConfiguration",
                "Credentials", "PickerModel", "Session", "Control", "Desktop", "Media", "Concurrency", "Processes", "Capture", "WindowPrivacy",
                "X11Capture", "PortalCapture", "PulseCapture", "Encode", "Upload", "RTMP", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // The public API for a session inside another program.
        .target(
            name: "BroadcastKit",
            dependencies: [
                "Host", "UserConfiguration", "Credentials", "Destinations", "Capture", "WindowPrivacy", "PortalCapture", "ContentCapture",
                "Control", "Upload", "RTMP", "Concurrency", "Media",
            ], swiftSettings: strict),
        .executableTarget(name: "in-app", dependencies: ["BroadcastKit"], path: "Examples/in-app", swiftSettings: strict),
        .executableTarget(name: "own-pictures", dependencies: ["BroadcastKit"], path: "Examples/own-pictures", swiftSettings: strict),

        // The shipped extensions are separate programs, so that their libraries, memory and crashes do not affect the
        // broadcaster. Their manifests are in Extensions/.
        .target(name: "HLS", dependencies: ["Media", "Mux"], swiftSettings: strict),
        .executableTarget(
            name: "broadcast-hls",
            dependencies: [
                "HLS", "TLS", "BroadcastExtension", "Media", "Concurrency", "Processes",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "broadcast-srt", dependencies: ["BroadcastExtension", "Media", "Mux", "Concurrency", "Processes", "CSRT"],
            swiftSettings: strict),

        // An example of an extension in Swift, with its manifest in the same folder.
        .executableTarget(
            name: "keyframe-watch", dependencies: ["BroadcastExtension"], path: "Examples/keyframe-watch", exclude: ["extension.toml"],
            swiftSettings: strict),

        // An example of the RTMP library: publishes an FLV file.
        .executableTarget(name: "flv-publish", dependencies: ["RTMP"], path: "Examples/flv-publish", swiftSettings: strict),

        // An example in C that pauses its film while the display is being broadcast. It needs only Xlib.
        .executableTarget(
            name: "is-captured", path: "Examples/is-captured", cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("X11"), .linkedLibrary("Xfixes")]),

        // Test support: machine-readable patterns, a program that draws and plays them, and real peers.
        .target(name: "TestPatterns", path: "Tests/TestPatterns", swiftSettings: strict),
        .executableTarget(name: "TestScreen", dependencies: ["TestPatterns", "CX11", "CPulse"], path: "Tests/TestScreen", swiftSettings: strict),
        // A screen cast over PipeWire without a compositor. It links libpipewire; the broadcaster opens it at run time.
        .systemLibrary(
            name: "CPipeWireDev", path: "Tests/CPipeWireDev", pkgConfig: "libpipewire-0.3", providers: [.apt(["libpipewire-0.3-dev"])]),
        .target(name: "CTestCast", dependencies: ["CPipeWireDev"], path: "Tests/CTestCast", cSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "CPipeWireFaults", dependencies: ["CPipeWire", "CSPA"], path: "Tests/CPipeWireFaults", cSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(name: "TestCast", dependencies: ["TestPatterns", "CTestCast"], path: "Tests/TestCast", swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["TestPatterns"], path: "Tests/TestSupport", exclude: ["Programs"], swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Bitstream", "RTMP", "Mux", "Media", "Upload", "BroadcastExtension", "Control", "UserConfiguration", "Credentials", "PickerModel",
                "TestPatterns", "CTOMLPlusPlus",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "TestSupportTests", dependencies: ["TestSupport", "TestPatterns", "TestScreen"], swiftSettings: strict),

        // Links, file names and the table of modules in the documents.
        .testTarget(name: "DocumentTests", swiftSettings: strict),
        .testTarget(name: "MediaTests", dependencies: ["Media", "TestPatterns"], swiftSettings: strict),
        .testTarget(name: "WindowPrivacyTests", dependencies: ["WindowPrivacy", "Media"], swiftSettings: strict),
        .testTarget(
            name: "CaptureTests",
            dependencies: [
                "Capture", "WindowPrivacy", "X11Client", "X11Capture", "PortalCapture", "PulseCapture", "ContentCapture", "Concurrency", "Media",
                "Mix", "CX11", "CPipeWire", "CPipeWireFaults", "TestPatterns", "TestSupport", "TestScreen", "TestCast",
            ], swiftSettings: strict),
        .testTarget(name: "MixTests", dependencies: ["Mix", "Media", "TestPatterns", "CPixelKernels", "CYUV"], swiftSettings: strict),
        .testTarget(name: "BitstreamTests", dependencies: ["Bitstream", "FuzzTargets", "Media"], swiftSettings: strict),
        .testTarget(name: "EncodeTests", dependencies: ["Bitstream", "Encode", "Media"], swiftSettings: strict),
        .testTarget(name: "MuxTests", dependencies: ["Bitstream", "Mux", "Media", "TestPatterns"], swiftSettings: strict),
        .testTarget(
            name: "TLSTests", dependencies: ["TLS", "TestSupport", .product(name: "NIOSSL", package: "swift-nio-ssl")], swiftSettings: strict),
        .testTarget(
            name: "RTMPTests",
            dependencies: [
                "RTMP", "TLS", "EventLoops", "ProxyTunnel", "Mux", "Media", "Upload", "TestSupport", "TestPatterns", "FuzzTargets", "flv-publish",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Corpus"],
            swiftSettings: strict),
        .testTarget(
            name: "ControlTests",
            dependencies: [
                "Control", "FuzzTargets", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PresentationTests",
            dependencies: [
                "Presentation", "Host", "Control", "Session", "Destinations", "Desktop", "Processes", "Capture", "WindowPrivacy", "X11Capture",
                "PortalCapture", "PulseCapture", "Upload", "Media", "UserConfiguration", "RTMP", "Launch", "ExtensionCheck", "Credentials", "Encode",
                "TestSupport",
            ], swiftSettings: strict),
        .testTarget(name: "PickerModelTests", dependencies: ["PickerModel", "FuzzTargets"], swiftSettings: strict),
        // A source, destinations and a clock of the tests, for SessionTests and HostTests.
        .target(
            name: "SessionFakes", dependencies: ["Session", "Capture", "WindowPrivacy", "Concurrency", "Media", "Upload", "TestSupport"],
            path: "Tests/SessionFakes", swiftSettings: strict),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "BroadcastKit", "Host", "ExtensionCheck", "SessionFakes", "Session", "Destinations", "Control", "UserConfiguration", "Capture",
                "WindowPrivacy", "Upload", "RTMP", "Concurrency", "Media", "TestSupport", "Credentials", "Desktop", "ContentCapture", "PortalCapture",
            ], swiftSettings: strict),
        .testTarget(
            name: "UserConfigurationTests",
            dependencies: [
                "UserConfiguration", "FuzzTargets", "TestSupport", "Session", "Upload", "RTMP", "Encode", "Mix", "Media", "X11Capture",
                "WindowPrivacy", "ContentCapture",
            ], swiftSettings: strict),
        .testTarget(
            name: "CredentialsTests",
            dependencies: ["Credentials", "UserConfiguration", "Upload", "Processes", "TestSupport", "FuzzTargets"], swiftSettings: strict),
        .testTarget(name: "BusTests", dependencies: ["Bus", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "Media", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ProcessesTests", dependencies: ["Processes", "Concurrency", "TestSupport"], swiftSettings: strict),
        // Extensions of the tests, for UploadTests and ExtensionCheckTests.
        .target(name: "ExtensionFakes", dependencies: ["TestSupport", "Upload"], path: "Tests/ExtensionFakes", swiftSettings: strict),
        .testTarget(
            name: "UploadTests",
            dependencies: ["Upload", "ExtensionFakes", "BroadcastExtension", "Media", "Processes", "TestSupport", "FuzzTargets"],
            swiftSettings: strict),
        .testTarget(name: "BroadcastExtensionTests", dependencies: ["BroadcastExtension", "Bitstream", "Media"], swiftSettings: strict),
        .testTarget(
            name: "ExtensionCheckTests", dependencies: ["ExtensionCheck", "ExtensionFakes", "Media", "TestSupport", "Upload"],
            swiftSettings: strict),
        .testTarget(name: "CommandCompletionTests", dependencies: ["CommandCompletion"], swiftSettings: strict),
        // The command line: options, usage errors, answers of setup and completion values, without a process.
        .testTarget(
            name: "BroadcastTests",
            dependencies: [
                "broadcast", "CommandCompletion", "Presentation", "UserConfiguration", "Credentials", "Session", "Media", "WindowPrivacy",
                "X11Capture", "TestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(name: "DesktopTests", dependencies: ["Desktop", "Concurrency", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LaunchTests", dependencies: ["Launch", "Control", "Credentials", "Processes", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "TerminalTests",
            dependencies: [
                "Terminal", "Media", "Presentation", "UserConfiguration", "TestSupport", "Concurrency", "Credentials", "PickerModel", "Host",
                "Session", "Destinations", "Desktop", "Upload",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DestinationsTests",
            dependencies: ["Destinations", "SessionFakes", "Concurrency", "Media", "RTMP", "Upload", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SessionTests",
            dependencies: [
                "Session", "SessionFakes", "Destinations", "Capture", "WindowPrivacy", "ContentCapture", "X11Capture", "Concurrency", "Media",
                "Encode", "Mix", "Upload", "RTMP", "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "TestPatterns", "TestScreen", "TestCast", "broadcast", "broadcast-hls", "broadcast-srt", "in-app", "own-pictures",
                "keyframe-watch", "is-captured",
            ],
            swiftSettings: strict),
        // Fault injection, which takes minutes: make test-faults. It shares its fixtures with EndToEndTests.
        .testTarget(
            name: "FaultTests",
            dependencies: ["TestSupport", "TestPatterns", "TestScreen", "TestCast", "BroadcastKit", "broadcast", "broadcast-srt"],
            swiftSettings: strict),
        .testTarget(
            name: "HLSTests", dependencies: ["HLS", "broadcast-hls", "TLS", "Media", "BroadcastExtension", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SRTTests", dependencies: ["broadcast-srt", "Media", "Concurrency", "BroadcastExtension", "TestSupport"], swiftSettings: strict),
        .executableTarget(
            name: "PixelConversionBenchmark", dependencies: ["Media", "Mix", "CYUV"], path: "Benchmarks/PixelConversion", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
