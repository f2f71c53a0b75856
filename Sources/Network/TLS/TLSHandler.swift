import NIOCore
import NIOTLS

/// The other side closed a connection without TLS's close notification.
package enum TLSClosure: Error, Equatable {
    /// Before the handshake was complete.
    case duringHandshake
    /// Afterwards. Bytes can be missing. Many servers do this.
    case withoutNotification
}

/// One side of TLS in a channel that reads automatically.
///
/// It sends `TLSUserEvent.handshakeCompleted` after the handshake; a client has then verified that the server's
/// certificate is trusted and for the host. No bytes are sent before. Its errors are `TLSProblem` and `TLSClosure`, and
/// the channel is closed after each. Use it only on the channel's event loop.
package final class TLSHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private enum State {
        /// The channel is not connected yet.
        case idle
        case handshaking
        case open
        /// The close notification was sent. The other side can still send.
        case outputClosed
        case closed
    }

    /// The maximum number of bytes of TLS's own answers, as to an update of the keys, that wait for a side that does
    /// not read. OpenSSL has no limit, so a side that requests answers could use unlimited memory.
    private static let maximumAnswers = 65_536

    private let connection: TLSConnection
    /// The bytes of TLS's own answers since the channel was writable.
    private var answers = 0
    private var state = State.idle
    /// Bytes that are not encrypted yet: all before the end of the handshake, otherwise those that are not flushed.
    private var writes = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(
        initialCapacity: 8)

    /// Creates the client's side.
    ///
    /// - Parameter host: the host that the server's certificate must name: a name or an IP address.
    /// - Throws: `wrongHost` if no certificate can name `host`.
    package init(_ context: TLSContext, host: String) throws(TLSProblem) {
        connection = try TLSConnection(context, identity: ServerIdentity(host))
    }

    /// Creates the server's side, which asks the client for no certificate.
    package init(_ credentials: ServerCredentials) throws(TLSProblem) {
        connection = try TLSConnection(credentials)
    }

    /// The days until the server's certificate expires; nil before the handshake is complete. Use it on the event loop.
    package var certificateDaysLeft: Int? { connection.certificateDaysLeft }

    // MARK: Events of the channel

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) {
        state = .closed
        failWrites(ChannelError.ioOnClosedChannel)
    }

    package func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        begin(context)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        let closure: TLSClosure? =
            switch state {
            case .handshaking: .duringHandshake
            case .open, .outputClosed: .withoutNotification
            case .idle, .closed: nil
            }
        state = .closed
        if let closure { context.fireErrorCaught(closure) }
        failWrites(closure ?? ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        do throws(TLSProblem) {
            switch state {
            case .idle, .closed: return
            case .handshaking:
                try connection.receive(unwrapInboundIn(data))
                try handshake(context)
            case .open, .outputClosed: try connection.receive(unwrapInboundIn(data))
            }
            try decrypt(context)
        } catch {
            fail(error, context)
        }
    }

    // MARK: Calls of the application

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch state {
        case .idle, .handshaking, .open: writes.append((unwrapOutboundIn(data), promise))
        case .outputClosed: promise?.fail(ChannelError.outputClosed)
        case .closed: promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        writes.mark()
        do throws(TLSProblem) {
            try encrypt(context)
        } catch {
            fail(error, context)
        }
        context.flush()
    }

    /// Sends the close notification. `all` does not wait for the answer.
    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (mode, state) {
        case (.input, _): promise?.fail(ChannelError.operationUnsupported)
        case (.output, .open):
            state = .outputClosed
            failWrites(ChannelError.outputClosed)
            connection.close()
            let bytes = connection.takeBytesToSend(context.channel.allocator) ?? ByteBuffer()
            // The channel must send the notification before it closes its output.
            context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenComplete { _ in
                context.close(mode: .output, promise: promise)
            }
        case (.output, .outputClosed): promise?.fail(ChannelError.outputClosed)
        case (.output, .idle), (.output, .handshaking), (.output, .closed), (.all, _):
            let isOpen = if case .open = state { true } else { false }
            state = .closed
            failWrites(ChannelError.ioOnClosedChannel)
            if isOpen {
                connection.close()
                send(context)
            }
            context.close(promise: promise)
        }
    }

    // MARK: TLS

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        state = .handshaking
        do throws(TLSProblem) {
            try handshake(context)
        } catch {
            fail(error, context)
        }
    }

    private func handshake(_ context: ChannelHandlerContext) throws(TLSProblem) {
        let progress = try connection.handshake()
        send(context)
        guard case .complete = progress else { return }
        state = .open
        context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        try encrypt(context)
        context.flush()
    }

    /// Passes the bytes that the other side sent to the next handler.
    private func decrypt(_ context: ChannelHandlerContext) throws(TLSProblem) {
        switch state {
        case .idle, .handshaking, .closed: return
        case .open, .outputClosed: break
        }
        var bytes = context.channel.allocator.buffer(capacity: 0)
        let pause: TLSConnection.Pause
        do throws(TLSProblem) {
            pause = try connection.read(into: &bytes)
        } catch {
            deliver(bytes, context)
            throw error
        }
        try answer(context)
        deliver(bytes, context)
        if case .closed = pause { close(context: context, mode: .all, promise: nil) }
    }

    private func deliver(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard bytes.readableBytes > 0 else { return }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Encrypts the flushed bytes and passes them to the channel.
    private func encrypt(_ context: ChannelHandlerContext) throws(TLSProblem) {
        while case .open = state, writes.hasMark, let (bytes, promise) = writes.popFirst() {
            var rest = bytes
            do throws(TLSProblem) {
                repeat {
                    try connection.write(&rest)
                    let encrypted = connection.takeBytesToSend(context.channel.allocator) ?? ByteBuffer()
                    context.write(wrapOutboundOut(encrypted), promise: rest.readableBytes == 0 ? promise : nil)
                } while rest.readableBytes > 0
            } catch {
                promise?.fail(error)
                throw error
            }
        }
    }

    /// Sends the answers of TLS itself, as to an update of the keys (RFC 8446, section 4.6.3).
    private func answer(_ context: ChannelHandlerContext) throws(TLSProblem) {
        guard let bytes = connection.takeBytesToSend(context.channel.allocator) else { return }
        answers = context.channel.isWritable ? 0 : answers + bytes.readableBytes
        guard answers <= Self.maximumAnswers else { throw .failed("the other side does not read the answers") }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Sends what TLS itself has to say.
    private func send(_ context: ChannelHandlerContext) {
        guard let bytes = connection.takeBytesToSend(context.channel.allocator) else { return }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    private func failWrites(_ error: any Error) {
        while let write = writes.popFirst() { write.promise?.fail(error) }
    }

    /// Sends the alert, reports the problem and closes the channel.
    private func fail(_ problem: TLSProblem, _ context: ChannelHandlerContext) {
        state = .closed
        send(context)
        failWrites(problem)
        context.fireErrorCaught(problem)
        context.close(promise: nil)
    }
}
