import Encode
import Foundation
import Media

/// The output of an encoder, as a file for independent decoders.
struct EncodedStream {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let folder: URL
    private let file: URL

    /// Writes H.264 as a byte stream: parameter sets before each IDR picture, and start codes instead of lengths.
    static func h264(_ packets: [EncodedPacket], of encoder: VideoEncoder, _ body: (EncodedStream) throws -> Void)
        throws
    {
        guard case .h264(let sequence, let picture) = encoder.format.codec else {
            throw Failure(description: "no H.264")
        }
        var bytes: [UInt8] = []
        for packet in packets {
            if packet.isKeyframe { bytes += [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture }
            var position = 0
            while position + 4 <= packet.data.count {
                let length = packet.data[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
                bytes += [0, 0, 0, 1] + packet.data[position + 4..<position + 4 + length]
                position += 4 + length
            }
        }
        try with(bytes, name: "stream.h264", body)
    }

    /// Writes H.264 that is a byte stream already.
    static func h264(byteStream: [UInt8], _ body: (EncodedStream) throws -> Void) throws {
        try with(byteStream, name: "stream.h264", body)
    }

    /// Writes AAC-LC with an ADTS header before each packet (ISO/IEC 14496-3, 1.A.2.2): 48 kHz, two channels.
    static func adts(_ packets: [EncodedPacket], _ body: (EncodedStream) throws -> Void) throws {
        var bytes: [UInt8] = []
        for packet in packets {
            let length = packet.data.count + 7
            bytes += [
                0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 0xFF),
                UInt8(length << 5 & 0xE0) | 0x1F, 0xFC,
            ]
            bytes += packet.data
        }
        try with(bytes, name: "stream.aac", body)
    }

    private static func with(_ bytes: [UInt8], name: String, _ body: (EncodedStream) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "broadcast-encode-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stream = EncodedStream(folder: folder, file: folder.appendingPathComponent(name))
        try Data(bytes).write(to: stream.file)
        try body(stream)
    }

    /// The properties of the stream from ffprobe, with ffprobe's names.
    func properties() throws -> [String: String] {
        let output = try run([
            "ffprobe", "-v", "error", "-show_streams", "-of", "default=noprint_wrappers=1", file.path,
        ])
        var properties: [String: String] = [:]
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { properties[String(pair[0])] = String(pair[1]) }
        }
        return properties
    }

    /// The I420 or I444 frames from ffmpeg's decoder, in sequence.
    func pictures(_ chroma: ChromaFormat = .yuv420) throws -> [UInt8] {
        try run([
            "ffmpeg", "-v", "error", "-i", file.path, "-f", "rawvideo", "-pix_fmt", "yuv\(chroma.rawValue)p",
            "-fps_mode", "passthrough", "-",
        ])
    }

    /// The I420 frames from OpenH264, in sequence. Unlike ffmpeg, it rejects a slice that does not end as it should. It
    /// does not decode 4:4:4.
    func picturesInOpenH264() throws -> [UInt8] {
        try run([
            "gst-launch-1.0", "-q", "filesrc", "location=\(file.path)", "!", "h264parse", "!", "openh264dec", "!",
            "video/x-raw,format=I420", "!", "fdsink", "fd=1",
        ])
    }

    /// The fields of all slice headers as ffmpeg reads them: names of the specification with their values, in sequence.
    func sliceHeaders() throws -> [[(name: String, value: Int)]] {
        let output = try run([
            "sh", "-c",
            #"ffmpeg -v info -nostats -i "$1" -c copy -bsf:v trace_headers -f null - 2>&1"#, "sh", file.path,
        ])
        var headers: [[(name: String, value: Int)]] = []
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
            guard line.hasPrefix("[trace_headers"), let end = line.firstIndex(of: "]") else { continue }
            // A heading, or: position, name, bits, "=" and value.
            let words = line[end...].dropFirst().split(separator: " ")
            if words == ["Slice", "Header"] {
                headers.append([])
            } else if words.count == 5, let value = Int(words[4]), !headers.isEmpty {
                headers[headers.count - 1].append((String(words[1]), value))
            }
        }
        return headers
    }

    /// The interleaved stereo samples from ffmpeg's decoder.
    func samples() throws -> [Float] {
        let bytes = try run(["ffmpeg", "-v", "error", "-i", file.path, "-f", "f32le", "-ac", "2", "-"])
        return bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    /// Runs a program to its end and returns its output. Any error message of the program is a failure.
    private func run(_ command: [String]) throws -> [UInt8] {
        let errors = folder.appendingPathComponent("errors")
        try Data().write(to: errors)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let output = Pipe()
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = Array(output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let text = String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        guard process.terminationStatus == 0, text.isEmpty else { throw Failure(description: "\(command[0]): \(text)") }
        return bytes
    }
}
