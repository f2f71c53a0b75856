import NIOCore
import NIOEmbedded
import PageRequests
import Testing

struct RequestLimitTests {
    private let channel = EmbeddedChannel()
    private let limit = RequestLimit(log: RefusalLog { _ in })

    private func open() throws {
        try channel.pipeline.syncOperations.addHandler(limit)
        try channel.connect(to: SocketAddress(ipAddress: "192.168.1.6", port: 40_000)).wait()
    }

    @Test func `A request has ten seconds`() throws {
        try open()
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    /// A playlist waits until there is something to play.
    @Test func `Its answer has more`() throws {
        try open()
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        limit.answer(on: try channel.pipeline.syncOperations.context(handler: limit))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(61))
        #expect(!channel.isActive)
    }
}
