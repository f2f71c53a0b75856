import Foundation
import PulseCapture
import TestSupport
import Testing

struct PulseAddressTests {
    @Test func `Without a word in the environment, the server in the user's runtime folder is taken`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder.path)/pulse/native"
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/pulse", withIntermediateDirectories: true)
            func address(knowsPlace: Bool) -> String? {
                PulseAddress.server(knowsPlace: knowsPlace, userRuntime: folder.path)
            }
            #expect(address(knowsPlace: false) == nil)
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            #expect(address(knowsPlace: false) == nil)
            try FileManager.default.removeItem(atPath: path)
            #expect(mknod(path, mode_t(S_IFSOCK | 0o600), 0) == 0)
            #expect(address(knowsPlace: false) == "unix:" + path)
            #expect(address(knowsPlace: true) == nil)
        }
    }
}
