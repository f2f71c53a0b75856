import ExtensionFakes
import Foundation
import Media
import TestSupport
import Testing
import Upload

/// Compares the manual's transcript with the program's output.
struct TranscriptTests {
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x42, 0xc0, 0x0a], pictureParameterSet: [0x68, 0xce]),
            size: PixelSize(width: 16, height: 16),
            frameRate: 30), audio: [], title: "A talk")

    private static func packet(_ number: UInt32, _ unit: [UInt8], isKeyframe: Bool, hasGap: Bool) -> EncodedPacket {
        let time = MediaTime(value: Int64(number), timescale: 30)
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: isKeyframe, isDiscontinuity: hasGap,
            sequence: number,
            data: [0, 0, 0, UInt8(unit.count)] + unit)
    }

    @Test func `The transcript in the manual matches the bytes that an extension reads`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder("#!/bin/sh\necho '{\"hello\":1}'\nexec cat > received\n", in: peers)
            var launch = folder.launch()
            launch.setup = ["account": "me"]
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: launch)
            try await handler.started(Self.stream)
            try await handler.process(Self.packet(0, [0x65, 0x88, 0x84], isKeyframe: true, hasGap: false))
            try await handler.paused()
            try await handler.resumed()
            try await handler.annotated(["application": "org.example.Editor"])
            try await handler.process(Self.packet(5, [0x65, 0x88, 0x82], isKeyframe: true, hasGap: true))
            try await handler.finished(deadline: .seconds(5))
            let received = [UInt8](FileManager.default.contents(atPath: folder.folder + "/received") ?? Data())
            let manual = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
                "../../man/broadcast-extension.7")
            let lines = try String(contentsOf: manual.standardized, encoding: .utf8).split(separator: "\n")
            // 00000000  42 58 53 31 …  |BXS1…|
            let documented = lines.filter { $0.hasPrefix("0000") && $0.contains("  |") }.flatMap { line -> [UInt8] in
                line.dropFirst(8).prefix { $0 != "|" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
            }
            let dump = stride(from: 0, to: received.count, by: 16).map { start in
                received[start..<min(start + 16, received.count)].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                    .joined(separator: " ")
            }
            #expect(documented == received, "\(dump.joined(separator: "\n"))")
            if let path = ProcessInfo.processInfo.environment["BROADCAST_TRANSCRIPT"] {
                try Data(received).write(to: URL(fileURLWithPath: path))
            }
        }
    }
}
