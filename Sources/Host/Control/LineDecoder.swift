import NIOCore

/// Splits received bytes into lines. A line that is too long is an error, which closes the connection
/// (docs/protocols.md).
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// The limit of a request, in bytes.
    static let maximumLength = 64 << 10
    /// The limit of a reply, in bytes. A reply repeats texts of several requests and of the session's sources.
    static let maximumReplyLength = 8 << 20

    struct LineTooLong: Error {}

    let limit: Int

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let newline = buffer.readableBytesView.firstIndex(of: 0x0a) else {
            if buffer.readableBytes > limit { throw LineTooLong() }
            return .needMoreData
        }
        let length = newline - buffer.readerIndex
        guard length <= limit, let line = buffer.readSlice(length: length) else { throw LineTooLong() }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }
}
