import Glibc
import Media
import Mux

/// An FLV file with H.264 and AAC, as packets for a publisher. It is read block by block, as packets are requested.
///
/// It does only the file access: `FLVTagReader` and `FLVPacketReader` of Mux read the format. Use a file from one task
/// at a time.
///
///     let file = try FLVFile(path: "clip.flv")
///     let publisher = try await RTMPPublisher.connect(to: RTMPURL("rtmp://127.0.0.1/live/key"), stream: file.stream)
///     try await publisher.send(contentsOf: file)
///     await publisher.finish()
public final class FLVFile {
    /// Bytes of one read.
    private static let blockSize = 65_536
    /// Packets among which the sequence header of each track must be.
    private static let maximumProbe = 256

    /// The tracks of the file, for `RTMPPublisher.connect`.
    public let stream: StreamDescription
    private let path: String
    private let handle: UnsafeMutablePointer<FILE>
    private var tags = FLVTagReader()
    private var packets = FLVPacketReader()
    /// Packets that were read before the tracks were known, in reverse order.
    private var waiting: [EncodedPacket] = []

    /// Opens the file and reads its start, until the tracks are known.
    ///
    /// Throws `cannotRead`, `malformed`, and `unsupported` if the file has neither H.264 nor AAC.
    public init(path: String) throws(FLVError) {
        guard let handle = fopen(path, "re") else { throw .cannotRead(path: path, code: errno) }
        self.path = path
        self.handle = handle
        do throws(FLVError) {
            (stream, waiting) = try Self.probe(handle, path, &tags, &packets)
        } catch {
            fclose(handle)
            throw error
        }
    }

    deinit {
        fclose(handle)
    }

    /// Returns the next packet in the order of the file, or nil at its end. A truncated last tag is ignored.
    public func next() throws(FLVError) -> EncodedPacket? {
        if let packet = waiting.popLast() { return packet }
        return try Self.next(handle, path, &tags, &packets)
    }

    private static func probe(
        _ handle: UnsafeMutablePointer<FILE>, _ path: String, _ tags: inout FLVTagReader,
        _ packets: inout FLVPacketReader
    ) throws(FLVError) -> (StreamDescription, [EncodedPacket]) {
        var found: [EncodedPacket] = []
        while found.count < maximumProbe, packets.stream.video == nil || packets.stream.audio.isEmpty,
            let packet = try next(handle, path, &tags, &packets)
        {
            found.append(packet)
        }
        guard packets.stream.video != nil || !packets.stream.audio.isEmpty else { throw .unsupported(.noTracks) }
        return (packets.stream, found.reversed())
    }

    private static func next(
        _ handle: UnsafeMutablePointer<FILE>, _ path: String, _ tags: inout FLVTagReader,
        _ packets: inout FLVPacketReader
    ) throws(FLVError) -> EncodedPacket? {
        while true {
            while let tag = try tags.next() { if let packet = try packets.packet(from: tag) { return packet } }
            let block = [UInt8](unsafeUninitializedCapacity: blockSize) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, handle)
            }
            if block.isEmpty {
                guard ferror(handle) == 0 else { throw .cannotRead(path: path, code: errno) }
                return nil
            }
            tags.append(block)
        }
    }

}

extension RTMPPublisher {
    /// Sends all packets of `file` at the pace of their decode times, counted from the first packet.
    ///
    /// Throws an `FLVError` if the file cannot be read, an `RTMPError` if the connection fails, and
    /// `CancellationError`.
    public func send(contentsOf file: FLVFile) async throws {
        let start = ContinuousClock.now
        var first: MediaTime?
        while let packet = try file.next() {
            let origin = first ?? packet.decodeTime
            first = origin
            try await Task.sleep(
                until: start + .nanoseconds((packet.decodeTime - origin).nanoseconds), clock: .continuous)
            try await send(packet)
        }
    }
}
