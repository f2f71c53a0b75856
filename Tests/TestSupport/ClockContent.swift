import Foundation
import TestPatterns

/// The clock and its beeps as an application's own pictures and sound: a Y4M file with 25 frames a second and a mono
/// WAV file with 44.1 kHz.
///
/// Frame N shows the time of frame 0 and N / 25 s, and the beeps lie to it as `TestScreen clock --beep` plays them.
/// Nothing is recorded to make them, so the files are the same however busy the machine is.
package enum ClockContent {
    /// Frames a second.
    package static let frameRate = 25
    private static let sampleRate = 44_100
    private static let (width, height) = (640, 360)

    /// Writes both files. The first beep begins half a second after the first frame.
    package static func write(pictures: String, sound: String, seconds: Int) throws {
        // A minute ago, because a clock that is read back is not in the future.
        let second = MonotonicTime.now() / 1_000_000_000 - 60
        try self.pictures(from: second * 1000 + 500, frames: seconds * frameRate).write(
            to: URL(fileURLWithPath: pictures))
        try self.sound(from: Double(second) + 0.5, frames: seconds * sampleRate).write(to: URL(fileURLWithPath: sound))
    }

    private static func pictures(from start: Int64, frames: Int) -> Data {
        var picture = [UInt8](repeating: 96, count: width * height) + [UInt8](repeating: 128, count: width * height / 2)
        var data = Data(capacity: frames * (picture.count + 6) + 100)
        data += Data("YUV4MPEG2 W\(width) H\(height) F\(frameRate):1 Ip A1:1 C420mpeg2\n".utf8)
        for frame in 0..<frames {
            paint(UInt32(truncatingIfNeeded: start + Int64(frame * 1000 / frameRate)), in: &picture)
            data += Data("FRAME\n".utf8)
            data += picture
        }
        return data
    }

    private static func paint(_ milliseconds: UInt32, in picture: inout [UInt8]) {
        for (index, isWhite) in ClockPattern.cells(milliseconds: milliseconds).enumerated() {
            let cell = ClockPattern.cell(column: index % ClockPattern.columns, row: index / ClockPattern.columns)
            let (columns, rows) = cell.pixels(width: width, height: height)
            for row in rows {
                for column in columns { picture[row * width + column] = isWhite ? 235 : 16 }
            }
        }
    }

    private static func sound(from start: Double, frames: Int) -> Data {
        var samples = Data(capacity: 2 * frames)
        for frame in 0..<frames {
            let time = start + Double(frame) / Double(sampleRate)
            let value = BeepPattern.sample(at: time - time.rounded(.down), number: Int(time)) { sin($0) }
            withUnsafeBytes(of: Int16(value * 32_767).littleEndian) { samples.append(contentsOf: $0) }
        }
        return header(bytes: samples.count) + samples
    }

    /// RIFF, `fmt ` with PCM of one channel and 16 bits, `data`.
    private static func header(bytes: Int) -> Data {
        var header = Data("RIFF".utf8)
        func append(_ value: Int, bytes: Int) {
            for index in 0..<bytes { header.append(UInt8(value >> (8 * index) & 0xFF)) }
        }
        append(36 + bytes, bytes: 4)
        header += Data("WAVEfmt ".utf8)
        for (value, bytes) in [(16, 4), (1, 2), (1, 2), (sampleRate, 4), (2 * sampleRate, 4), (2, 2), (16, 2)] {
            append(value, bytes: bytes)
        }
        header += Data("data".utf8)
        append(bytes, bytes: 4)
        return header
    }
}
