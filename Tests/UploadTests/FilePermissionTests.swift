import ExtensionFakes
import Foundation
import Glibc
import Media
import TestSupport
import Testing
import Upload

/// Tests which users can read what a broadcast records.
struct FilePermissionTests {
    @Test func `only the user can read the clips of an extension and enter their folder, whatever the umask allows`()
        async throws
    {
        try await withPeers { peers in
            let before = umask(0)
            defer { umask(before) }
            let program = try ProgramFolder(
                "#!/bin/sh\necho '{\"hello\":1}'\nexec cat > /dev/null\n", mode: .clips, in: peers)
            let launch = program.launch()
            let handler = ExtensionClipsHandler(manifest: program.manifest, launch: launch)
            handler.attach(HandlerContext(report: { _ in }))
            let video = VideoTrackFormat(
                codec: .h264(sequenceParameterSet: [0x67, 0x64, 0, 0x0a], pictureParameterSet: [0x68, 0xee]),
                size: PixelSize(width: 16, height: 16), frameRate: 30)
            try await handler.started(StreamDescription(video: video, audio: []))
            try await handler.process(
                EncodedPacket(
                    track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0,
                    data: [0, 0, 0, 4, 0x65, 1, 2, 3]))
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(launch.clipFolder) == 0o700)
            let names = try FileManager.default.subpathsOfDirectory(atPath: launch.clipFolder)
            #expect(names.contains { $0.hasSuffix(".mp4") })
            for name in names {
                #expect(try mode(launch.clipFolder + "/" + name) == (name.hasSuffix(".mp4") ? 0o600 : 0o700), "\(name)")
            }
            try await handler.finished(deadline: .seconds(6))
        }
    }

    @Test func `only the user can read a recording, whatever the umask allows`() async throws {
        try await withTemporaryFolder { folder in
            let before = umask(0)
            defer { umask(before) }
            let path = folder.path + "/talk.h264"
            let handler = FileHandler(path: path, format: .h264)
            let video = VideoTrackFormat(
                codec: .h264(sequenceParameterSet: [0x67, 0x42, 0xc0, 0x0a], pictureParameterSet: [0x68, 0xce]),
                size: PixelSize(width: 16, height: 16), frameRate: 30)
            try await handler.started(StreamDescription(video: video, audio: []))
            try await handler.process(
                EncodedPacket(
                    track: .screen, presentationTime: .zero, decodeTime: .zero, isKeyframe: true, sequence: 0,
                    data: [0, 0, 0, 4, 0x65, 1, 2, 3]))
            try await handler.finished(deadline: .seconds(5))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }
}
