import Foundation
import Media
import Presentation
import Terminal
import TestSupport
import Testing

/// Tests the files of previews.
@Suite struct PreviewPictureTests {
    private var picture: PreviewPicture {
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 16, height: 8))
        frame.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 128) }
        return PreviewPicture(frame)
    }

    @Test func `A picture is a PNG file of its size that only the user can read`() async throws {
        try await withTemporaryFolder { folder in
            try picture.write(to: folder.path + "/picture.png")
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/picture.png")))
            #expect(bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
            // IHDR: width and height, 4 bytes each (ISO/IEC 15948, 11.2.2).
            #expect(Array(bytes[16..<24]) == [0, 0, 0, 16, 0, 0, 0, 8])
            #expect(folder.mode(of: "picture.png") == 0o600)
        }
    }

    @Test func `An older file is replaced, and keeps its permissions`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(String(repeating: "x", count: 100_000), to: "picture.png", mode: 0o644)
            try picture.write(to: folder.path + "/picture.png")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/picture.png"))
            #expect(bytes.count < 10_000 && folder.mode(of: "picture.png") == 0o644)
        }
    }

    @Test func `A picture that cannot be written is an error that names the file`() {
        #expect {
            try picture.write(to: "/nonexistent/picture.png")
        } throws: { error in
            guard let error = error as? CommandError else { return false }
            return error.status == .cannotCreate && error.message.contains("/nonexistent/picture.png")
        }
    }

    @Test func `The file of an image viewer is removed once`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("a picture", to: "picture.png", mode: 0o600)
            let file = ViewedPicture(path: folder.path + "/picture.png")
            file.remove()
            #expect(folder.names() == [])
            // A file that another program writes there later stays.
            try folder.write("another", to: "picture.png", mode: 0o600)
            file.remove()
            #expect(folder.names() == ["picture.png"])
        }
    }
}
