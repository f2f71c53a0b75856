/// A header with its payload.
public struct Frame: Equatable, Sendable {
    public var header: FrameHeader
    public var payload: [UInt8]

    public init(header: FrameHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }

    /// A control frame that holds `json`.
    public init(control json: [UInt8]) {
        self.init(header: FrameHeader(length: json.count, kind: .control), payload: json)
    }
}

/// Turns bytes, however they were cut up, into frames; it does no I/O.
public struct FrameReader: Sendable {
    private var buffer: [UInt8] = []
    /// Bytes before this index have been taken.
    private var head = 0
    private var header: FrameHeader?

    public init() {}

    /// Adds what was read.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// The next frame; nil until all of its bytes are there. After an error nothing more can be read.
    public mutating func next() throws(FrameError) -> Frame? {
        if header == nil {
            guard buffer.count - head >= FrameHeader.byteCount else { return nil }
            header = try FrameHeader(buffer[head..<head + FrameHeader.byteCount])
            head += FrameHeader.byteCount
        }
        guard let header, buffer.count - head >= header.length else { return nil }
        let frame = Frame(header: header, payload: Array(buffer[head..<head + header.length]))
        head += header.length
        self.header = nil
        if head == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 1 << 20 {
            buffer.removeFirst(head)
            head = 0
        }
        return frame
    }

    /// Throws where the stream ends here, inside a frame.
    public func end() throws(FrameError) {
        if header != nil || head != buffer.count { throw .truncated }
    }
}
