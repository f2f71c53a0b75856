import Foundation

/// Runs the independent readers: ffprobe, ffmpeg and GStreamer.
enum Tool {
    struct Failure: Error, CustomStringConvertible {
        let command: String
        let output: String
        var description: String { "\(command): \(output)" }
    }

    struct PacketTime {
        /// Seconds.
        let presentation: Double
        let decode: Double
        /// Bytes.
        let size: Int
        let isKeyframe: Bool
    }

    /// The output of the command on stdout and stderr, and its exit status.
    static func output(_ command: String, _ arguments: [String]) throws -> (out: String, error: String, status: Int32) {
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + arguments
        // Files instead of pipes: a program that fills one pipe while this code reads the other would hang.
        let outPath = folder.path("out")
        let errorPath = folder.path("error")
        _ = try folder.write([], "out")
        _ = try folder.write([], "error")
        guard let out = FileHandle(forWritingAtPath: outPath), let error = FileHandle(forWritingAtPath: errorPath)
        else {
            throw Failure(command: command, output: "no temporary file")
        }
        process.standardOutput = out
        process.standardError = error
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return (
            String(decoding: try folder.read("out"), as: UTF8.self),
            String(decoding: try folder.read("error"), as: UTF8.self),
            process.terminationStatus
        )
    }

    /// The standard output of a command that must succeed.
    @discardableResult
    static func run(_ command: String, _ arguments: String...) throws -> String {
        let result = try output(command, arguments)
        guard result.status == 0 else { throw Failure(command: command, output: result.error) }
        return result.out
    }

    /// The values of `entries` from ffprobe, one per line.
    static func probe(_ path: String, _ arguments: String...) throws -> [String] {
        let result = try output("ffprobe", ["-v", "error"] + arguments + ["-of", "csv=p=0", path])
        guard result.status == 0 else { throw Failure(command: "ffprobe", output: result.error) }
        return result.out.split(separator: "\n").map(String.init)
    }

    /// The times of a stream's packets, in decode order, which not every container has, with ffmpeg's stream specifier:
    /// `v`, `a:0`.
    static func packetTimes(_ path: String, stream: String) throws -> [PacketTime] {
        try probe(path, "-select_streams", stream, "-show_entries", "packet=pts_time,dts_time,size,flags").compactMap {
            line in
            let fields = line.split(separator: ",").map(String.init)
            guard fields.count >= 4, let presentation = Double(fields[0]),
                let size = Int(fields[2])
            else {
                return nil
            }
            return PacketTime(
                presentation: presentation, decode: Double(fields[1]) ?? presentation, size: size,
                isKeyframe: fields[3].hasPrefix("K"))
        }
    }

    /// The errors of ffmpeg when it decodes the whole file; empty for a valid file.
    static func decodingErrors(_ path: String) throws -> String {
        // With the file's own time base: in units of frames, irregular times would collide and cause errors.
        try output("ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-enc_time_base", "-1", "-f", "null", "-"]).error
    }

    /// The number of frames that ffmpeg's decoder returns for a stream.
    static func decodedFrameCount(_ path: String, stream: String) throws -> Int {
        Int(
            try probe(path, "-select_streams", stream, "-count_frames", "-show_entries", "stream=nb_read_frames").first
                ?? "") ?? 0
    }

    /// The number of pictures that GStreamer's demuxer and decoder return while the sound plays too.
    static func decodedByGStreamer(_ path: String, demuxer: String = "qtdemux") throws -> Int {
        let result = try output(
            "gst-launch-1.0",
            [
                "-v", "filesrc", "location=\(path)", "!", demuxer, "name=d", "d.video_0", "!", "queue", "!",
                "avdec_h264", "!", "fakesink",
                "name=pictures", "sync=false", "silent=false", "d.audio_0", "!", "queue", "!", "avdec_aac", "!",
                "fakesink", "sync=false",
            ])
        guard result.status == 0 else {
            throw Failure(command: "gst-launch-1.0", output: result.error + result.out.suffix(500))
        }
        return result.out.split(separator: "\n").count { $0.contains("pictures: last-message = chain") }
    }
}

/// A folder that is removed with its owner.
final class TemporaryFolder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("mux-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A failure to remove it is ignored: it is in the system's folder for temporary files.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appendingPathComponent(name))) }

    /// Writes a file and returns its path.
    func write(_ bytes: some Collection<UInt8>, _ name: String) throws -> String {
        try Data(bytes).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
