import BroadcastExtension
import FoundationEssentials

/// Writes each lifecycle call and each keyframe to a file, and requests a keyframe after every gap.
final class KeyframeWatch: BroadcastSampleHandler {
    private var host: BroadcastHost?
    private var path = ""
    private var lines: [String] = []
    private var pictures = 0

    func started(_ broadcast: BroadcastStart, host: BroadcastHost) throws {
        guard let log = broadcast.setup["log"] else { throw BroadcastFailure(code: 401, message: "Not Logged In") }
        self.host = host
        path = log
        lines.append(
            "started \(broadcast.title ?? "without a title"): \(broadcast.tracks.map(\.name).joined(separator: ", "))")
        host.watchURL("https://example.com/watch")
    }

    func paused() { lines.append("paused") }
    func resumed() { lines.append("resumed") }
    func annotated(_ information: [String: String]) { lines.append("annotated \(information.keys.sorted())") }

    func process(_ sample: BroadcastSample) {
        pictures += 1
        if sample.isKeyframe { lines.append("keyframe at \(sample.presentationTime.milliseconds) ms") }
        if sample.hasGapBefore && !sample.isKeyframe { host?.requestKeyframe() }
        // An early request shows that the request reaches the encoder.
        if pictures == 10 { host?.requestKeyframe() }
    }

    func finished() throws {
        lines.append("finished after \(pictures) pictures")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: path)
    }
}

extension Data {
    /// Writes the bytes to a file and replaces an existing file.
    fileprivate func write(to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: self) else {
            throw BroadcastFailure(code: 500, message: "Cannot write \(path)")
        }
    }
}

@main
enum Main {
    static func main() {
        run(KeyframeWatch())
    }
}
