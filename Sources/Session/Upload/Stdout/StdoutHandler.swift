import Glibc
import Media
import Mux
import Processes
import Synchronization

/// Writes a container to standard output, for other programs to read.
///
/// If the reader closes the pipe, the destination ends without an error.
package actor StdoutHandler: SampleHandler {
    private var muxer: any Muxer
    private let output = OutputFile(borrowing: STDOUT_FILENO)
    private let written = Atomic(0)
    package nonisolated var byteCount: Int { written.load(ordering: .relaxed) }
    private var isClosed = false

    package init(format: ContainerFormat) {
        muxer = format.makeMuxer(isSeekable: false)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        try write(muxer.begin(stream))
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        try muxer.checkSize(of: packet)
        try write(muxer.pieces(of: packet))
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard !isClosed else { return }
        // A pipe cannot be rewritten, so omit the patches of the ending; the fragments are playable.
        let ending = muxer.end()
        try write(ending.bytes + ending.index)
    }

    private func write(_ bytes: [UInt8]) throws(UploadError) { try write([bytes]) }

    private func write(_ pieces: [[UInt8]]) throws(UploadError) {
        do throws(SystemError) {
            for piece in pieces { try output.write(piece) }
            written.add(pieces.reduce(0) { $0 + $1.count }, ordering: .relaxed)
        } catch {
            isClosed = true
            if error.code == EPIPE { throw .readerClosed }
            if error.code == ECANCELED {
                throw .readerStalled(path: "-")
            }
            throw .writeFailed(path: "-", code: error.code)
        }
    }
}
