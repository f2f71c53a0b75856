/// A header with its payload.
public struct Frame: Equatable, Sendable {
    public var header: FrameHeader
    public var payload: [UInt8]

    public init(header: FrameHeader, payload: [UInt8]) {
        self.header = header
        self.payload = payload
    }

    /// Creates a control frame that contains `json`.
    public init(control json: [UInt8]) {
        self.init(header: FrameHeader(length: json.count, kind: .control), payload: json)
    }
}

/// Parses frames from bytes that arrive in arbitrary parts. It does no I/O.
public struct FrameReader: Sendable {
    private var buffer: [UInt8] = []
    /// Bytes before this index are already parsed.
    private var head = 0
    private var header: FrameHeader?

    public init() {}

    /// Appends received bytes.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.append(contentsOf: bytes)
    }

    /// Returns the next frame, or nil if it is incomplete. After an error, nothing more can be read.
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

    /// Call this at the end of the stream. Throws `truncated` if the stream ends within a frame.
    public func end() throws(FrameError) {
        if header != nil || head != buffer.count { throw .truncated }
    }
}
