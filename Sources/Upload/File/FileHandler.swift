import Glibc
import Media
import Mux
import Processes
import Synchronization

/// Writes a container to a file: MP4, FLV, MPEG-TS, H.264 or Y4M.
package actor FileHandler: SampleHandler {
    private let path: String
    private let format: ContainerFormat
    private var muxer: any Muxer
    private var file: OutputFile?
    private var isSeekable = true
    /// True after a write failed. The handler then does not write the end, for example on a full disk.
    private var isBroken = false
    private let written = Atomic(0)
    private let context = Mutex(HandlerContext())
    package nonisolated var byteCount: Int { written.load(ordering: .relaxed) }

    package init(path: String, format: ContainerFormat) {
        self.path = path
        self.format = format
        muxer = format.makeMuxer(isSeekable: true)
    }

    package nonisolated func attach(_ context: HandlerContext) {
        self.context.withLock { $0 = context }
    }

    private func report(_ notice: UploadNotice) {
        context.withLock { $0.report }(notice)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        try keepOlder()
        var isWaiting = false
        while file == nil {
            do throws(SystemError) {
                file = .some(try OutputFile(creating: path))
            } catch  where error.code == ENXIO {
                if !isWaiting { report(.waitsForReader(path: path)) }
                isWaiting = true
                try await waitForReader()
            } catch {
                throw .cannotCreate(path: path, .system(code: error.code))
            }
        }
        // A named pipe or a device cannot be rewritten.
        isSeekable = file?.isSeekable ?? true
        file?.lock()
        if !isSeekable { muxer = format.makeMuxer(isSeekable: false) }
        try write(muxer.begin(stream))
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        try write(muxer.append(packet))
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard file != nil else { return }
        defer { file = nil }
        guard !isBroken else { return }
        let ending = muxer.end()
        try write(ending.bytes)
        guard isSeekable, !ending.patches.isEmpty else { return }
        // Write the end first, and then the fields that point to it: a crash between the two leaves a playable file.
        file?.synchronize()
        for patch in ending.patches { try overwrite(patch) }
    }

    /// Waits before the next attempt to open a named pipe that has no reader. Throws if the broadcast ends.
    private func waitForReader() async throws(UploadError) {
        do {
            try await Task.sleep(for: .milliseconds(50))
        } catch {
            throw .pipeWithoutReader(path: path)
        }
    }

    /// Moves an older file of the same name to a free name, so that its content is not lost.
    private func keepOlder() throws(UploadError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        // If the path is a link, move the file that it points to.
        let target =
            realpath(path, nil).map { pointer in
                defer { free(pointer) }
                return String(cString: pointer)
            } ?? path
        try refuseFileInUse(target)
        var aside = target + "~"
        var number = 2
        while access(aside, F_OK) == 0 {
            aside = target + ".~\(number)~"
            number += 1
        }
        guard rename(target, aside) == 0 else {
            throw .cannotCreate(path: path, .cannotMoveAside(code: errno))
        }
        report(.keptOlderFile(path: path, as: aside))
    }

    /// Throws if another broadcast is writing the file: each writer holds a lock on its file.
    private func refuseFileInUse(_ target: String) throws(UploadError) {
        let descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
            throw .cannotCreate(path: path, .inUse)
        }
    }

    private func write(_ bytes: [UInt8]) throws(UploadError) {
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try file?.write(bytes)
            written.add(bytes.count, ordering: .relaxed)
        } catch {
            isBroken = true
            // The reader of a named pipe may end at any time, like that of standard output.
            if error.code == EPIPE { throw .readerClosed }
            if error.code == ECANCELED {
                throw .readerStalled(path: path)
            }
            // Keep only whole fragments: players cannot handle a partial one at the end.
            file?.truncate(to: byteCount)
            throw .writeFailed(path: path, code: error.code)
        }
    }

    private func overwrite(_ patch: MuxEnding.Patch) throws(UploadError) {
        do throws(SystemError) {
            try file?.write(patch.bytes, at: patch.offset)
        } catch {
            throw .writeFailed(path: path, code: error.code)
        }
    }
}
