/// Splits the bytes of an FLV file into tags (Adobe Flash Video File Format 10.1, E.2 to E.4).
///
/// It buffers at most one tag (16 MiB) and the bytes of one `append`. A length in the file reserves no memory.
package struct FLVTagReader: Sendable {
    private var buffer: [UInt8] = []
    private var position = 0
    /// Bytes of the file header after the first nine that were not skipped yet; nil until the first nine were read.
    private var headerRest: Int?

    /// A reader at the start of a file.
    package init() {}

    /// Adds the next bytes of the file.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        buffer.removeFirst(position)
        position = 0
        buffer += bytes
    }

    /// Returns the next tag, with its whole body as payload, or nil if it needs more bytes. Tags of unknown types are
    /// skipped.
    ///
    /// Throws `malformed` if the bytes do not start with an FLV header, and `unsupported` if a tag is encrypted. After
    /// an error the reader must not be used.
    package mutating func next() throws(FLVError) -> FLVTag? {
        guard try readHeader() else { return nil }
        while true {
            // The size of the previous tag (4 bytes), then the header of this tag (11 bytes) (E.3, E.4.1).
            guard buffer.count - position >= 4 + 11 else { return nil }
            let start = position + 4
            let length = integer(start + 1, 3)
            guard buffer.count - start >= 11 + length else { return nil }
            let timestamp = UInt32(integer(start + 4, 3)) | UInt32(buffer[start + 7]) << 24
            position = start + 11 + length
            // Bit 5 is set in an encrypted tag.
            guard buffer[start] & 0x20 == 0 else { throw .unsupported(.encryption) }
            if let kind = FLVTag.Kind(rawValue: buffer[start] & 0x1F) {
                return FLVTag(
                    kind: kind, timestamp: timestamp, header: [], payload: Array(buffer[start + 11..<position]))
            }
        }
    }

    /// Skips the file header (E.2). Returns false if it needs more bytes.
    private mutating func readHeader() throws(FLVError) -> Bool {
        if headerRest == nil {
            guard buffer.count - position >= 9 else { return false }
            guard buffer[position..<position + 3].elementsEqual("FLV".utf8) else { throw .malformed(.noSignature) }
            let offset = integer(position + 5, 4)
            guard (9...65_536).contains(offset) else { throw .malformed(.headerSize(offset)) }
            headerRest = offset - 9
            position += 9
        }
        guard let rest = headerRest, buffer.count - position >= rest else { return false }
        position += rest
        headerRest = 0
        return true
    }

    /// The unsigned integer of `count` bytes, big endian, at `offset` of the buffer.
    private func integer(_ offset: Int, _ count: Int) -> Int {
        buffer[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
