import Media

/// Converts packets to the bytes of a container, without I/O and without a clock. The caller writes the returned bytes.
package protocol Muxer: Sendable {
    /// The maximum number of bytes of a packet. The caller must not append a larger one.
    var maximumPacketSize: Int { get }

    /// Returns the bytes before the first packet.
    mutating func begin(_ stream: StreamDescription) -> [UInt8]

    /// Returns the bytes that `packet` completes. They may be empty while a muxer collects a fragment.
    mutating func append(_ packet: EncodedPacket) -> [UInt8]

    /// Returns the bytes of `append` in pieces, in their order. A piece can share the memory of the packet: a raw
    /// picture is not copied.
    mutating func pieces(of packet: EncodedPacket) -> [[UInt8]]

    /// Returns the remaining bytes. The caller must not append packets afterwards.
    mutating func end() -> MuxEnding
}

extension Muxer {
    package var maximumPacketSize: Int { .max }

    package mutating func pieces(of packet: EncodedPacket) -> [[UInt8]] { [append(packet)] }
}

/// The end of a container: bytes to append, and patches of earlier bytes.
package struct MuxEnding: Sendable {
    /// The last media, appended to everything before.
    package var bytes: [UInt8]
    /// An index, appended after `bytes` with a separate write. Without it the file is still playable: if the disk has
    /// no room for the index, only the index is lost.
    package var index: [UInt8]
    /// Written over earlier bytes after `bytes` and `index` are safely on the disk. Only a seekable file supports
    /// patches; other outputs ignore them.
    package var patches: [Patch]

    package struct Patch: Sendable {
        /// The offset from the start of the file in bytes.
        package var offset: UInt64
        package var bytes: [UInt8]

        package init(offset: UInt64, bytes: [UInt8]) {
            self.offset = offset
            self.bytes = bytes
        }
    }

    package init(bytes: [UInt8] = [], index: [UInt8] = [], patches: [Patch] = []) {
        self.bytes = bytes
        self.index = index
        self.patches = patches
    }
}
