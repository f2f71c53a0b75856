import Upload
import UserConfiguration

/// Files that users and extensions write.
extension FuzzTargets {
    /// Reads a configuration. It must be in order, or have an error on an existing line; every value must be in its
    /// range.
    public static func configuration(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try ConfigurationFile.parse(text, path: path)
        } catch {
            check(error, in: bytes)
            return
        }
        precondition(configuration.video.fps.map { (1...240).contains($0) } ?? true, "a frame rate is out of its range")
        precondition(configuration.video.quality.map { (0...51).contains($0) } ?? true, "a quality is out of its range")
        precondition(
            configuration.destinations.map(\.name) == configuration.destinations.map(\.name).sorted(),
            "destinations are out of order")
        for destination in configuration.destinations {
            precondition(lines(of: bytes).contains(destination.line), "a destination is on line \(destination.line)")
            precondition(
                destination.kind != .rtmp || destination.url != nil || destination.service != nil,
                "an address is missing")
        }
        // What the file alone cannot tell: this must give an error too, and not trap.
        do throws(ConfigurationError) {
            try configuration.check(with: ExtensionCatalog(folders: []))
        } catch {
            check(error, in: bytes)
        }
    }

    /// Reads an extension's manifest. It must be in order, or have errors on existing lines.
    public static func manifest(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let (manifest, problems) = ManifestFile.parse(text, folder: "/test")
        precondition(manifest != nil || !problems.isEmpty, "there is neither a manifest nor a problem")
        for problem in problems { check(problem, in: bytes) }
        guard let manifest else { return }
        precondition(
            !manifest.name.isEmpty && !manifest.name.contains("/") && !manifest.name.hasPrefix("-"),
            "the name is \(manifest.name)")
        precondition(manifest.executable.hasPrefix("/"), "the program is \(manifest.executable)")
        precondition((0.1...3600).contains(manifest.clipDuration), "the clips have \(manifest.clipDuration) s")
        precondition(
            problems.isEmpty == false || manifest.takesVideo || !manifest.audioTracks.isEmpty,
            "there is nothing to send")
        precondition(
            manifest.schemes.isEmpty || manifest.questions.contains { $0.key == "url" && !$0.isSecret },
            "nothing asks for the address")
    }

    private static let path = "/test/config.toml"

    private static func lines(of bytes: [UInt8]) -> ClosedRange<Int> { 1...bytes.count { $0 == 0x0a } + 1 }

    private static func check(_ error: ConfigurationError, in bytes: [UInt8]) {
        switch error {
        case .syntax(let path, let line, let message):
            precondition(path.hasPrefix("/test/") && lines(of: bytes).contains(line) && !message.isEmpty, "\(error)")
        case .fault(let fault):
            precondition(
                fault.path.hasPrefix("/test/") && lines(of: bytes).contains(fault.line) && !fault.key.isEmpty,
                "\(error)")
        default: preconditionFailure("\(error)")
        }
    }
}
