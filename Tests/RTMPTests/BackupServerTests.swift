import Media
import RTMP
import TestSupport
import Testing
import Upload

/// Services with more than one address.
@Suite struct BackupServerTests {
    @Test func `if the first address cannot be reached, the next one is used`() async throws {
        let dead = try RTMPURL("rtmp://127.0.0.1:\(try freePort())/live/key")
        try await ScriptedServer.run(.never) { server in
            let handler = RTMPHandler(urls: [dead, try RTMPURL(server.url)])
            try await handler.started(.literal)
            #expect(handler.byteCount > 0)
            try await handler.finished(deadline: .seconds(2))
        }
    }

    @Test func `if no address can be reached, the error is that of the first one`() async throws {
        let (first, second) = (try freePort(), try freePort())
        let urls = try [first, second].map { try RTMPURL("rtmp://127.0.0.1:\($0)/live/key") }
        let error = await #expect(throws: UploadError.self) { try await RTMPHandler(urls: urls).started(.literal) }
        guard case .rtmp(.unreachable(_, port: first, _))? = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
    }

    @Test func `a server that refuses the stream is not left for its backup`() async throws {
        try await RecordingServer.run { command, _, _, script in
            guard command.first?.stringValue == "publish" else { return .ordinary }
            return .bytes(script.status(level: "error", code: "NetStream.Publish.Denied"))
        } _: { refusing in
            try await ScriptedServer.run(.never) { server in
                let urls = try [refusing.url, server.url].map { try RTMPURL($0) }
                let error = await #expect(throws: UploadError.self) {
                    try await RTMPHandler(urls: urls).started(.literal)
                }
                #expect(error == .rtmp(.refused(code: "NetStream.Publish.Denied", description: "")))
            }
        }
    }
}
