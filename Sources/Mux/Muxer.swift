import Media

/// Turns packets into the bytes of a container, without I/O and without a clock: whoever holds it writes what it returns.
package protocol Muxer: Sendable {
    /// What comes before the first packet.
    mutating func begin(_ stream: StreamDescription) -> [UInt8]

    /// What is to be written now that `packet` is there. It may be empty while the container gathers a fragment.
    mutating func append(_ packet: EncodedPacket) -> [UInt8]

    /// What is left to write; nothing may be appended afterwards.
    mutating func end() -> MuxEnding
}

/// The end of a container: bytes that follow what was written, and places further up that are then overwritten.
package struct MuxEnding: Sendable {
    /// Written after everything before.
    package var bytes: [UInt8]
    /// Written over what stands there, once `bytes` are safely on the disk. Only a seekable file can do so; elsewhere they are left out.
    package var patches: [Patch]

    package struct Patch: Sendable {
        /// Bytes from the start of the file.
        package var offset: UInt64
        package var bytes: [UInt8]

        package init(offset: UInt64, bytes: [UInt8]) {
            self.offset = offset
            self.bytes = bytes
        }
    }

    package init(bytes: [UInt8] = [], patches: [Patch] = []) {
        self.bytes = bytes
        self.patches = patches
    }
}
