import Foundation
import Glibc
import Media
import TestSupport
import Testing
import Upload

/// Tests which users can read what a broadcast records.
@Suite(.serialized) struct FilePermissionTests {
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
            try await handler.finished(deadline: .seconds(5))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }
}
