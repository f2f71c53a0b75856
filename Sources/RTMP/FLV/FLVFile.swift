import Glibc
import Media

/// An FLV file with H.264 and AAC, as packets for a publisher. It is read as it is asked for, never as a whole.
///
///     let file = try FLVFile(path: "clip.flv")
///     let publisher = try await RTMPPublisher.connect(to: RTMPURL("rtmp://127.0.0.1/live/key"), stream: file.stream)
///     try await publisher.send(contentsOf: file)
///     await publisher.finish()
public final class FLVFile {
    /// Bytes that are read at a time.
    private static let blockSize = 65_536
    /// Tags in which each track must have said what it is.
    private static let maximumProbe = 256

    /// What the file holds, for `RTMPPublisher.connect`.
    public let stream: StreamDescription
    private let path: String
    private let handle: UnsafeMutablePointer<FILE>
    private var tags = FLVTagReader()
    private var packets = FLVPacketReader()
    /// Packets that came while the tracks were looked for, the last one first.
    private var waiting: [EncodedPacket] = []

    /// Opens the file and reads as far as it takes to know its tracks.
    public init(path: String) throws(FLVError) {
        guard let handle = fopen(path, "re") else { throw .cannotRead(path: path, reason: Self.systemReason) }
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

    /// The next packet in the file's order; nil at its end. A last tag that is cut short is left out.
    public func next() throws(FLVError) -> EncodedPacket? {
        if let packet = waiting.popLast() { return packet }
        return try Self.next(handle, path, &tags, &packets)
    }

    private static func probe(
        _ handle: UnsafeMutablePointer<FILE>, _ path: String, _ tags: inout FLVTagReader, _ packets: inout FLVPacketReader
    ) throws(FLVError) -> (StreamDescription, [EncodedPacket]) {
        var found: [EncodedPacket] = []
        while found.count < maximumProbe, packets.stream.video == nil || packets.stream.audio.isEmpty,
            let packet = try next(handle, path, &tags, &packets)
        {
            found.append(packet)
        }
        guard packets.stream.video != nil || !packets.stream.audio.isEmpty else { throw .unsupported("it has neither H.264 nor AAC") }
        return (packets.stream, found.reversed())
    }

    private static func next(
        _ handle: UnsafeMutablePointer<FILE>, _ path: String, _ tags: inout FLVTagReader, _ packets: inout FLVPacketReader
    ) throws(FLVError) -> EncodedPacket? {
        while true {
            while let tag = try tags.next() { if let packet = try packets.packet(from: tag) { return packet } }
            let block = [UInt8](unsafeUninitializedCapacity: blockSize) { buffer, count in
                count = fread(buffer.baseAddress, 1, buffer.count, handle)
            }
            if block.isEmpty {
                guard ferror(handle) == 0 else { throw .cannotRead(path: path, reason: systemReason) }
                return nil
            }
            tags.append(block)
        }
    }

    private static var systemReason: String { strerror(errno).map { String(cString: $0) } ?? "error \(errno)" }
}
