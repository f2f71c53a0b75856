import Glibc
import TestSupport
import Testing

/// Several test processes run at the same time, and a server needs some time before it binds its port.
struct FreePortTests {
    @Test func `A port is given once, also to another process`() async throws {
        let port = try freePort()
        #expect(try !reserve(port))
        try await withPeers { peers in
            let answer = try await peers.run(
                "another",
                [
                    "python3", "-c",
                    """
                    import socket
                    s = socket.socket(socket.AF_UNIX)
                    try:
                        s.bind("\\0broadcast-test-port-\(port)")
                        print("free")
                    except OSError:
                        print("taken")
                    """,
                ])
            #expect(answer == "taken\n")
        }
    }
}
