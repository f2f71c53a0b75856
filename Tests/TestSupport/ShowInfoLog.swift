import Foundation

/// Reads, as it grows, a log in which ffmpeg's filters `showinfo` and `ashowinfo` write a line for each frame.
struct ShowInfoLog {
    /// One frame's line.
    struct Line {
        /// Seconds. The filter's time base has to be microseconds, or the rate for sound.
        let time: Double
        /// Pixels, for video.
        let size: (width: Int, height: Int)?
        /// Samples of each channel, for audio.
        let sampleCount: Int?
    }

    private let path: String
    private let ticksPerSecond: Double
    private var offset: UInt64 = 0
    private var rest = ""
    private var lines: [Line] = []

    init(path: String, ticksPerSecond: Double = 1_000_000) {
        self.path = path
        self.ticksPerSecond = ticksPerSecond
    }

    /// The next frame's line, nil if it is not there yet.
    mutating func next() throws -> Line? {
        if lines.isEmpty { try readOn() }
        return lines.isEmpty ? nil : lines.removeFirst()
    }

    private mutating func readOn() throws {
        guard let file = FileHandle(forReadingAtPath: path) else { throw PeerError.missing("no log at \(path)") }
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        let data = try file.readToEnd() ?? Data()
        offset += UInt64(data.count)
        var parts = (rest + String(decoding: data, as: UTF8.self)).components(separatedBy: "\n")
        rest = parts.removeLast()
        lines += parts.compactMap(parse)
    }

    private func parse(_ text: String) -> Line? {
        guard text.contains("showinfo"), text.contains(" pts_time:"),
            let ticks = value(of: " pts:", in: text).flatMap({ Double($0) })
        else {
            return nil
        }
        let size = value(of: " s:", in: text)?.split(separator: "x").compactMap { Int($0) } ?? []
        return Line(
            time: ticks / ticksPerSecond, size: size.count == 2 ? (size[0], size[1]) : nil,
            sampleCount: value(of: " nb_samples:", in: text).flatMap { Int($0) })
    }

    /// The word after a label, which may be padded with spaces.
    private func value(of label: String, in text: String) -> Substring? {
        guard let range = text.range(of: label) else { return nil }
        return text[range.upperBound...].drop { $0 == " " }.prefix { $0 != " " }
    }
}
