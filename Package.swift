// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built in the Swift 6 language mode (the default of these tools), and a warning is an error.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "broadcast",
    products: [
        .executable(name: "broadcast", targets: ["broadcast"]),
        // Its packets and formats are Media's, its FLVError is Mux's.
        .library(name: "RTMP", targets: ["RTMP", "Media", "Mux"]),
        .library(name: "BroadcastExtension", targets: ["BroadcastExtension"]),
        .library(name: "BroadcastKit", targets: ["BroadcastKit"]),
        .executable(name: "broadcast-hls", targets: ["broadcast-hls"]),
        .executable(name: "broadcast-srt", targets: ["broadcast-srt"]),
        .executable(name: "keyframe-watch", targets: ["keyframe-watch"]),
        .executable(name: "flv-publish", targets: ["flv-publish"]),
        // For the package in Fuzz/, which is built with libFuzzer.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
    ],
    dependencies: [
        // The command line: subcommands, help, completions and the manual come from one declaration.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // Non-blocking sockets for RTMP and for the control socket.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // TLS for RTMPS: BoringSSL as a channel handler, with certificates checked against the system's store.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // HTTP for the hls extension, a program of its own: uploads over kept connections, TLS, deadlines.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.30.0"),
    ],
    targets: [
        // System libraries: a module map and a shim header, nothing else.
        .systemLibrary(
            name: "CX11", pkgConfig: "x11 xext xcomposite xdamage xfixes xrandr xscrnsaver",
            providers: [.apt(["libx11-dev", "libxext-dev", "libxcomposite-dev", "libxdamage-dev", "libxfixes-dev", "libxrandr-dev", "libxss-dev"])]),
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CX264", providers: [.apt(["libx264-dev"])]),
        .systemLibrary(name: "CAVCodec", pkgConfig: "libavcodec libavutil", providers: [.apt(["libavcodec-dev", "libavutil-dev"])]),
        .systemLibrary(name: "CSWResample", pkgConfig: "libswresample libavutil", providers: [.apt(["libswresample-dev"])]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        // Pictures for `broadcast preview`. libavcodec brings it along anyway.
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        // Pictures on terminals, for `start --preview`: small, and needs nothing but libm.
        .systemLibrary(name: "CSixel", providers: [.apt(["libsixel-dev"])]),
        // For the srt extension only, a program of its own: who does not use it need not have libsrt.
        .systemLibrary(name: "CSRT", pkgConfig: "srt", providers: [.apt(["libsrt-openssl-dev"])]),
        // The desktop's session bus. Of the libraries for it this one is in memory already: libpulse is linked with it.
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        // Linux calls that Swift cannot import, and what runs between fork and exec.
        .target(name: "CLinux", cSettings: [.treatAllWarnings(as: .error)]),
        // Our own pixel kernels: BGRA to I420 in BT.709, which libyuv of this age does not have.
        .target(name: "CPixelKernels", cSettings: [.treatAllWarnings(as: .error)]),

        // Debian's toml++ behind a C interface: it keeps the line of each value, and needs no Foundation (TOMLKit brings all of it).
        .target(name: "CTOMLPlusPlus", cxxSettings: [.treatAllWarnings(as: .error)]),

        // libsecret, opened at run time and only in a helper process: what needs no secret never loads GLib.
        .target(name: "CSecret", cSettings: [.treatAllWarnings(as: .error)]),

        // Base.
        .target(name: "Media", swiftSettings: strict),
        .target(name: "Concurrency", dependencies: ["Media", "CLinux"], swiftSettings: strict),
        .target(name: "Processes", dependencies: ["Concurrency", "CLinux"], swiftSettings: strict),

        // Devices and codecs. A source behind the protocols of Capture imports one device API, and no other source.
        .target(name: "Capture", dependencies: ["Media"], swiftSettings: strict),
        .target(name: "WindowPrivacy", dependencies: ["Concurrency", "Media"], swiftSettings: strict),
        .target(name: "X11Capture", dependencies: ["Capture", "WindowPrivacy", "Concurrency", "Media", "CX11"], swiftSettings: strict),
        .target(name: "PulseCapture", dependencies: ["Capture", "WindowPrivacy", "Concurrency", "Media", "CPulse"], swiftSettings: strict),
        .target(name: "ContentCapture", dependencies: ["Capture", "Concurrency", "Media"], swiftSettings: strict),
        .target(name: "Mix", dependencies: ["Media", "CPixelKernels", "CYUV", "CSWResample"], swiftSettings: strict),
        // Reads and writes the headers of H.264 and AAC. Containers are Mux's.
        .target(name: "Bitstream", dependencies: ["Media"], swiftSettings: strict),
        .target(name: "Encode", dependencies: ["Bitstream", "Media", "CX264", "CAVCodec", "CPNG", "CSixel"], swiftSettings: strict),
        .target(name: "Mux", dependencies: ["Bitstream", "Media"], swiftSettings: strict),
        .target(
            name: "RTMP",
            dependencies: [
                "Media", "Mux", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(
            name: "Upload", dependencies: ["Media", "Concurrency", "Processes", "Bitstream", "Mux", "RTMP", "BroadcastExtension"], swiftSettings: strict),
        .target(
            name: "Session",
            dependencies: [
                "Media", "Concurrency", "Capture", "WindowPrivacy", "X11Capture", "PulseCapture", "ContentCapture", "Mix", "Encode", "Mux", "Upload", "RTMP",
            ],
            swiftSettings: strict),
        // The host of a session, on a desktop.
        .target(
            name: "UserConfiguration",
            dependencies: [
                "Media", "Encode", "Mix", "RTMP", "Upload", "Session", "WindowPrivacy", "X11Capture", "ContentCapture", "CTOMLPlusPlus",
            ],
            swiftSettings: strict),
        .target(name: "Credentials", dependencies: ["UserConfiguration", "Processes", "Media", "RTMP", "Upload", "CSecret"], swiftSettings: strict),
        .target(name: "PickerModel", swiftSettings: strict),
        .target(
            name: "Control",
            dependencies: [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")],
            swiftSettings: strict),
        // Notifications, indicators and lockers, on the session bus.
        .target(name: "Desktop", dependencies: ["Concurrency", "Processes", "CDBus"], swiftSettings: strict),
        .target(
            name: "Host",
            dependencies: ["UserConfiguration", "Control", "Desktop", "Session", "Capture", "WindowPrivacy", "Upload", "Processes", "Concurrency", "Media"],
            swiftSettings: strict),
        .target(name: "BroadcastExtension", dependencies: ["Media"], swiftSettings: strict),
        .executableTarget(
            name: "broadcast",
            dependencies: [
                "BroadcastKit", "Host", "UserConfiguration", "Credentials", "PickerModel", "Session", "Control", "Desktop", "Media", "Concurrency",
                "Processes", "Capture", "WindowPrivacy", "X11Capture", "PulseCapture", "Mix", "Encode", "Upload", "RTMP", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),

        // The session inside another program: a public face over the rooms.
        .target(
            name: "BroadcastKit",
            dependencies: [
                "Host", "UserConfiguration", "Credentials", "Session", "Capture", "WindowPrivacy", "X11Capture", "ContentCapture", "Control", "Desktop",
                "Upload", "RTMP", "Processes", "Concurrency", "Media",
            ], swiftSettings: strict),
        .executableTarget(name: "in-app", dependencies: ["BroadcastKit"], path: "Examples/in-app", swiftSettings: strict),

        // The extensions that are shipped: programs of their own, so that their libraries, their memory and their crashes stay out of
        // the broadcaster. Their manifests are in Extensions/.
        .target(name: "Receive", dependencies: ["BroadcastExtension", "Bitstream", "Media"], swiftSettings: strict),
        .target(name: "HLS", dependencies: ["Media", "Mux"], swiftSettings: strict),
        .executableTarget(
            name: "broadcast-hls",
            dependencies: [
                "HLS", "Receive", "BroadcastExtension", "Media", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "broadcast-srt", dependencies: ["Receive", "BroadcastExtension", "Media", "Mux", "CSRT"], swiftSettings: strict),

        // An extension in Swift, to start from; its manifest lies beside it.
        .executableTarget(
            name: "keyframe-watch", dependencies: ["BroadcastExtension"], path: "Examples/keyframe-watch", exclude: ["extension.toml"],
            swiftSettings: strict),

        // The RTMP library at work: an FLV file goes live.
        .executableTarget(name: "flv-publish", dependencies: ["RTMP"], path: "Examples/flv-publish", swiftSettings: strict),

        // An application that stops its film while the display is being broadcast, in plain C: what it needs is Xlib's.
        .executableTarget(
            name: "is-captured", path: "Examples/is-captured", cSettings: [.treatAllWarnings(as: .error)],
            linkerSettings: [.linkedLibrary("X11"), .linkedLibrary("Xfixes")]),

        // What tests stand on: patterns that can be read back, a program that paints and plays them, and real peers.
        .target(name: "TestPatterns", path: "Tests/TestPatterns", swiftSettings: strict),
        .executableTarget(name: "TestScreen", dependencies: ["TestPatterns", "CX11", "CPulse"], path: "Tests/TestScreen", swiftSettings: strict),
        .target(name: "TestSupport", dependencies: ["TestPatterns"], path: "Tests/TestSupport", exclude: ["Programs"], swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: ["Bitstream", "RTMP", "Mux", "Media", "Upload", "BroadcastExtension", "Control", "UserConfiguration", "CTOMLPlusPlus"],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "TestSupportTests", dependencies: ["TestSupport", "TestPatterns", "TestScreen"], swiftSettings: strict),

        .testTarget(name: "MediaTests", dependencies: ["Media"], swiftSettings: strict),
        .testTarget(
            name: "CaptureTests",
            dependencies: [
                "Capture", "WindowPrivacy", "X11Capture", "PulseCapture", "ContentCapture", "Concurrency", "Media", "CX11", "TestPatterns", "TestSupport", "TestScreen",
            ], swiftSettings: strict),
        .testTarget(name: "MixTests", dependencies: ["Mix", "Media", "CPixelKernels", "CYUV"], swiftSettings: strict),
        .testTarget(name: "BitstreamTests", dependencies: ["Bitstream", "FuzzTargets", "Media"], swiftSettings: strict),
        .testTarget(name: "EncodeTests", dependencies: ["Encode", "Media"], swiftSettings: strict),
        .testTarget(name: "MuxTests", dependencies: ["Bitstream", "Mux", "Media"], swiftSettings: strict),
        .testTarget(
            name: "RTMPTests",
            dependencies: [
                "RTMP", "Mux", "Media", "Upload", "TestSupport", "FuzzTargets", "flv-publish",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Corpus"],
            swiftSettings: strict),
        .testTarget(
            name: "ControlTests",
            dependencies: [
                "Control", "FuzzTargets", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(name: "PickerModelTests", dependencies: ["PickerModel"], swiftSettings: strict),
        // A source, destinations and a clock of the tests, for SessionTests and HostTests.
        .target(
            name: "SessionFakes", dependencies: ["Session", "Capture", "Concurrency", "Media", "Upload"], path: "Tests/SessionFakes",
            swiftSettings: strict),
        .testTarget(
            name: "HostTests",
            dependencies: [
                "Host", "SessionFakes", "Session", "Control", "UserConfiguration", "Capture", "WindowPrivacy", "Upload", "RTMP", "Concurrency", "Media",
                "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "UserConfigurationTests",
            dependencies: [
                "UserConfiguration", "FuzzTargets", "TestSupport", "Session", "Upload", "RTMP", "Encode", "Mix", "Media", "X11Capture",
                "WindowPrivacy", "ContentCapture",
            ], swiftSettings: strict),
        .testTarget(
            name: "CredentialsTests", dependencies: ["Credentials", "UserConfiguration", "Upload", "Processes", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "Media", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "ProcessesTests", dependencies: ["Processes", "Concurrency", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "UploadTests", dependencies: ["Upload", "BroadcastExtension", "Media", "Processes", "TestSupport", "FuzzTargets"],
            swiftSettings: strict),
        .testTarget(
            name: "SessionTests",
            dependencies: [
                "Session", "SessionFakes", "Capture", "ContentCapture", "X11Capture", "Concurrency", "Media", "Encode", "Mix", "Upload", "RTMP",
                "TestSupport",
            ], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "TestPatterns", "TestScreen", "broadcast", "broadcast-hls", "broadcast-srt", "in-app", "keyframe-watch", "is-captured",
            ],
            swiftSettings: strict),
        // Minutes of outages, bad lines and lies: make test-faults. It shares the studio with EndToEndTests.
        .testTarget(
            name: "FaultTests", dependencies: ["TestSupport", "TestPatterns", "TestScreen", "BroadcastKit", "broadcast", "broadcast-srt"],
            swiftSettings: strict),
        .testTarget(
            name: "HLSTests", dependencies: ["HLS", "broadcast-hls", "Media", "BroadcastExtension"], swiftSettings: strict),
        .testTarget(name: "SRTTests", dependencies: ["broadcast-srt", "Media", "BroadcastExtension"], swiftSettings: strict),
        .executableTarget(
            name: "PixelConversionBenchmark", dependencies: ["Media", "Mix", "CYUV"], path: "Benchmarks/PixelConversion", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
