// swift-tools-version: 6.2
import PackageDescription

/// Fuzzes the code that reads untrusted bytes, with libFuzzer: `swift build --sanitize=fuzzer`, then `.build/debug/amf0
/// CORPUS`.
///
/// A further target is a function in `Tests/FuzzTargets`, a folder here that calls it, and its name in this list.
let targets = [
    "amf0", "answers", "bitstream", "chunks", "compositor", "configuration", "control", "description", "dtls",
    "feedback", "flv", "frames", "keys", "links", "location", "manifest", "publisher", "relay", "replies", "requests",
    "secrets", "socket", "stun", "toml",
]

let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "broadcast", path: "..")],
    targets: targets.map { name in
        .executableTarget(
            name: name, dependencies: [.product(name: "FuzzTargets", package: "broadcast")],
            // libFuzzer provides main().
            swiftSettings: [.unsafeFlags(["-parse-as-library"])])
    }
)
