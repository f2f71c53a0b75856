import NIOCore
import NIOHTTP1
import NIOWebSocket

/// One connection of a browser: HTTP 1.1, and WebSocket after an upgrade (RFC 9112, RFC 6455).
package enum PageConnection {
    /// Adds the handlers to a new connection, on its event loop.
    ///
    /// - Parameters:
    ///   - limit: of the request, which `page` can raise.
    ///   - page: answers requests: it gets `HTTPServerRequestPart`, and closes the connection.
    ///   - viewer: makes the handler after an upgrade: it gets `PageInput`, and writes `WebSocketFrame`.
    package static func configure(
        _ channel: any Channel, _ rules: RequestRules, limit: RequestLimit, log: RefusalLog,
        page: any ChannelInboundHandler & RemovableChannelHandler,
        viewer: @escaping (SocketMedia) -> any ChannelHandler
    ) throws {
        let page = NIOLoopBound(page, eventLoop: channel.eventLoop)
        let bound = NIOLoopBound((limit: limit, log: log, viewer: viewer), eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: PageInputReader.maximumMessage,
            shouldUpgrade: { channel, head in
                let isAllowed = if case .socket = rules.answer(to: head) { true } else { false }
                return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    guard case .socket(let media) = rules.answer(to: head) else { return }
                    let (limit, log, viewer) = bound.value
                    limit.end()
                    try channel.pipeline.syncOperations.addHandler(PageInputReader(log: log))
                    try channel.pipeline.syncOperations.addHandler(viewer(media))
                }
            })
        try channel.pipeline.syncOperations.addHandler(limit)
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withPipeliningAssistance: false,
            withServerUpgrade: (
                [upgrader], { context in context.pipeline.syncOperations.removeHandler(page.value, promise: nil) }
            ), withErrorHandling: false)
        try channel.pipeline.syncOperations.addHandler(page.value)
    }
}
