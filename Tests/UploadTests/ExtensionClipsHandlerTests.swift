import ExtensionFakes
import Foundation
import Media
import Synchronization
import TestSupport
import Testing
import Upload

/// Clips that an extension receives and does not remove.
struct ClipFilesHandlerTests {
    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x64, 0, 0x0a], pictureParameterSet: [0x68, 0xee]),
            size: PixelSize(width: 16, height: 16),
            frameRate: 30), audio: [])

    @Test
    func `Of clips that are not removed, the newest 64 are kept, with a warning for each removed one`() async throws {
        try await withPeers { peers in
            let program = try ProgramFolder(
                "#!/bin/sh\necho '{\"hello\":1}'\nexec cat > /dev/null\n", mode: .clips, in: peers)
            var manifest = program.manifest
            manifest.clipDuration = 0.1
            let removed = Mutex<[String]>([])
            let launch = program.launch()
            let handler = ExtensionClipsHandler(manifest: manifest, launch: launch)
            handler.attach(
                HandlerContext(report: { notice in
                    if case .removedClip(_, let path) = notice { removed.withLock { $0.append(path) } }
                }))
            try await handler.started(Self.stream)
            for number in 0..<300 {
                let time = MediaTime(value: Int64(number), timescale: 30)
                try await handler.process(
                    EncodedPacket(
                        track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true,
                        sequence: UInt32(number),
                        data: [0, 0, 0, 4, 0x65, 1, 2, 3]))
            }
            let clips = try FileManager.default.subpathsOfDirectory(atPath: launch.clipFolder).filter {
                $0.hasSuffix(".mp4")
            }.sorted()
            // The finished clips, and the one that is being written.
            #expect((64...65).contains(clips.count), "\(clips.count)")
            #expect(clips.first?.hasSuffix("clip-000001.mp4") == false)
            let paths = removed.withLock { $0 }
            #expect(paths.count >= 5 && paths.first?.hasSuffix("clip-000001.mp4") == true, "\(paths.prefix(2))")
            try await handler.finished(deadline: .seconds(6))
            #expect(try FileManager.default.contentsOfDirectory(atPath: launch.clipFolder) == [])
        }
    }

    @Test func `What a crashed broadcast left is deleted, and what another one writes is not`() async throws {
        try await withPeers { peers in
            let program = try ProgramFolder(
                "#!/bin/sh\necho '{\"hello\":1}'\nexec cat > /dev/null\n", mode: .clips, in: peers)
            let launch = program.launch()
            let other = ExtensionClipsHandler(manifest: program.manifest, launch: launch)
            other.attach(HandlerContext())
            try await other.started(Self.stream)
            let living = try FileManager.default.contentsOfDirectory(atPath: launch.clipFolder)
            let abandoned = launch.clipFolder + "/other-aBc123"
            try FileManager.default.createDirectory(atPath: abandoned, withIntermediateDirectories: false)
            try Data([1]).write(to: URL(fileURLWithPath: abandoned + "/clip-000001.mp4"))
            // What an extension made of a clip.
            try FileManager.default.createDirectory(
                atPath: abandoned + "/done/today", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: abandoned + "/done/today/a.mp4"))
            let kept = try peers.makeFolder("kept")
            try Data([1]).write(to: URL(fileURLWithPath: kept + "/b.mp4"))
            try FileManager.default.createSymbolicLink(atPath: abandoned + "/done/link", withDestinationPath: kept)
            let handler = ExtensionClipsHandler(manifest: program.manifest, launch: launch)
            handler.attach(HandlerContext())
            try await handler.started(Self.stream)
            let folders = try FileManager.default.contentsOfDirectory(atPath: launch.clipFolder)
            #expect(
                living.count == 1 && folders.count == 2 && folders.contains(living[0])
                    && !folders.contains("other-aBc123"))
            #expect(FileManager.default.fileExists(atPath: kept + "/b.mp4"))
            try await handler.finished(deadline: .seconds(6))
            try await other.finished(deadline: .seconds(6))
            #expect(try FileManager.default.contentsOfDirectory(atPath: launch.clipFolder) == [])
        }
    }
}
