import Media
import Mux
import Processes

/// A clip that is being written: a playable MP4 file whose time starts at its first picture.
final class ClipFile {
    let path: String
    let start: MediaTime
    /// The number of bytes written so far.
    private(set) var byteCount = 0
    private let file: OutputFile
    private var muxer = HybridMP4Muxer()
    /// Only the encoder's priming, before the first sound, may have a time before zero.
    private let earliest: MediaTime

    /// Creates a new file.
    init(path: String, start: MediaTime, stream: StreamDescription) throws(UploadError) {
        self.path = path
        self.start = start
        earliest = -stream.priming
        do throws(SystemError) {
            file = try OutputFile(creating: path)
        } catch {
            throw .cannotCreate(path: path, .system(code: error.code))
        }
        try write(muxer.begin(stream))
    }

    func append(_ packet: EncodedPacket) throws(UploadError) {
        let presented = packet.presentationTime - start
        guard packet.track == .screen || presented >= earliest else { return }
        try write(muxer.append(packet.moved(by: -start)))
    }

    /// Completes the file. It is then an ordinary MP4 file.
    func close() throws(UploadError) {
        let ending = muxer.end()
        try write(ending.bytes)
        try write(ending.index)
        for patch in ending.patches {
            do throws(SystemError) {
                try file.write(patch.bytes, at: patch.offset)
            } catch {
                throw .writeFailed(path: path, code: error.code)
            }
        }
    }

    private func write(_ bytes: [UInt8]) throws(UploadError) {
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try file.write(bytes)
            byteCount += bytes.count
        } catch {
            throw .writeFailed(path: path, code: error.code)
        }
    }
}
