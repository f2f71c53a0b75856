import Foundation
import Media
import Presentation
import Terminal
import TestSupport
import Testing
import UserConfiguration

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

    // MARK: Showing it

    /// A picture of 64x32 pixels.
    private static var grey: PreviewPicture {
        let frame = PixelBuffer(format: .i420, size: PixelSize(width: 64, height: 32))
        frame.withUnsafeMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 128) }
        return PreviewPicture(frame)
    }

    @Test func `A terminal that knows pictures shows it, and no file is made`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let terminal = PseudoTerminal()
                let paths = Paths(environment: ["HOME": path, "XDG_RUNTIME_DIR": path])
                let features = PreviewPicture.TerminalFeatures(hasCursor: true, knowsKittyGraphics: true)
                guard case .terminal = try await PreviewPictureTests.grey.show(features, paths: paths) else { exit(2) }
                #expect(terminal.wait(for: "\u{1b}_Gf=100,a=T,q=2,"))
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                let terminal = PseudoTerminal()
                terminal.typeBefore("\u{1b}[?2;0;32;32S\u{1b}[?62;4;22c")
                let paths = Paths(environment: ["HOME": path, "XDG_RUNTIME_DIR": path])
                let features = PreviewPicture.TerminalFeatures(hasCursor: true, knowsKittyGraphics: false)
                guard case .terminal = try await PreviewPictureTests.grey.show(features, paths: paths) else { exit(2) }
                // Device control string: sixels.
                #expect(terminal.wait(for: "\u{1b}P"))
            }
            #expect(folder.names() == [])
        }
    }

    @Test func `Otherwise the desktop's viewer shows it, from a file that only the user can read`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path
            try folder.makeFolder("bin")
            await #expect(processExitsWith: .success) { [path = path as String] in
                setenv("PATH", path + "/bin", 1)
                let paths = Paths(environment: ["HOME": path, "XDG_RUNTIME_DIR": path])
                let features = PreviewPicture.TerminalFeatures(hasCursor: false, knowsKittyGraphics: true)
                dup2(open("/dev/null", O_RDWR), STDERR_FILENO)
                await #expect(throws: CommandError.previewNotShown(viewer: nil)) {
                    try await PreviewPictureTests.grey.show(features, paths: paths)
                }
            }
            #expect(folder.names(in: "broadcast") == [])
            try folder.write("#!/bin/sh\nexit 0\n", to: "bin/xdg-open", mode: 0o700)
            await #expect(processExitsWith: .success) { [path = path as String] in
                setenv("PATH", path + "/bin", 1)
                let paths = Paths(environment: ["HOME": path, "XDG_RUNTIME_DIR": path])
                let features = PreviewPicture.TerminalFeatures(hasCursor: false, knowsKittyGraphics: true)
                dup2(open("/dev/null", O_RDWR), STDERR_FILENO)
                guard case .viewer(let file) = try await PreviewPictureTests.grey.show(features, paths: paths) else {
                    exit(2)
                }
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
            }
            #expect(folder.names(in: "broadcast") == [])
        }
    }

    @Test func `Standard output gets the file as it is`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            try PreviewPictureTests.grey.writeToOutput()
        }
        #expect(result.standardOutputContent.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    }
}
