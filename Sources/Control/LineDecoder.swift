import NIOCore

/// Splits received bytes into lines. A line longer than 64 KiB is an error, which closes the connection
/// (docs/protocols.md).
struct LineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    static let maximumLength = 64 << 10

    struct LineTooLong: Error {}

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let newline = buffer.readableBytesView.firstIndex(of: 0x0a) else {
            if buffer.readableBytes > Self.maximumLength { throw LineTooLong() }
            return .needMoreData
        }
        let length = newline - buffer.readerIndex
        guard length <= Self.maximumLength, let line = buffer.readSlice(length: length) else { throw LineTooLong() }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }
}
