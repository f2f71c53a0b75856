import Glibc
import Media
import Mux
import Synchronization

/// Writes a container to a file: MP4, FLV, MPEG-TS, H.264 or Y4M.
package actor FileHandler: SampleHandler {
    private let path: String
    private let format: ContainerFormat
    private let notice: @Sendable (String) -> Void
    private var muxer: any Muxer
    private var file: FileDescriptor?
    private var isSeekable = true
    /// True once writing failed: the end is not tried on a disk that is full.
    private var isBroken = false
    private let written = Atomic(0)
    package nonisolated var byteCount: Int { written.load(ordering: .relaxed) }

    /// - Parameter notice: is told where an older file of that name was moved aside.
    package init(path: String, format: ContainerFormat, notice: @escaping @Sendable (String) -> Void = { _ in }) {
        self.path = path
        self.notice = notice
        self.format = format
        muxer = format.makeMuxer(isSeekable: true)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        try keepOlder()
        var isWaiting = false
        while file == nil {
            do throws(FileDescriptor.Failure) {
                file = .some(try FileDescriptor(creating: path))
            } catch  where error.code == ENXIO {
                if !isWaiting { notice("\(path) is a named pipe that nobody reads from yet: the broadcast waits for a reader of it.") }
                isWaiting = true
                try await waitForReader()
            } catch {
                throw .cannotCreate(path: path, reason: error.reason)
            }
        }
        // A named pipe or a device can't be written over.
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
        // First the end, then the places that lead to it: a crash between the two leaves a file that plays.
        file?.synchronize()
        for patch in ending.patches { try overwrite(patch) }
    }

    /// A named pipe is written once somebody reads from it, unless the broadcast is over before.
    private func waitForReader() async throws(UploadError) {
        do {
            try await Task.sleep(for: .milliseconds(50))
        } catch {
            throw .unreachable("Nobody has read from the named pipe \(path). Start its reader, and then the broadcast.")
        }
    }

    /// What a file of the same name holds is not lost: it is moved aside, to a name that is not taken.
    private func keepOlder() throws(UploadError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        // Of a link it is the file that is kept.
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
            throw .cannotCreate(path: path, reason: "there is a file already, which cannot be moved aside (\(String(cString: strerror(errno))))")
        }
        notice("The older \(path) is kept as \(aside).")
    }

    /// A file that another broadcast is writing is not moved away under it: whoever writes one holds a lock on it.
    private func refuseFileInUse(_ target: String) throws(UploadError) {
        let descriptor = open(target, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK {
            throw .cannotCreate(path: path, reason: "another broadcast is writing it")
        }
    }

    private func write(_ bytes: [UInt8]) throws(UploadError) {
        guard !bytes.isEmpty else { return }
        do throws(FileDescriptor.Failure) {
            try file?.write(bytes)
            written.add(bytes.count, ordering: .relaxed)
        } catch {
            isBroken = true
            // The reader of a named pipe may end whenever it likes, as that of standard output.
            if error.code == EPIPE { throw .readerClosed }
            if error.code == ECANCELED {
                throw .unreachable("The reader of \(path) does not take what is left, which is lost. Let it read to the end.", retry: .never)
            }
            // Only whole fragments stay: players stumble over half a one at the end.
            file?.truncate(to: byteCount)
            throw .writeFailed(path: path, code: error.code, reason: error.reason)
        }
    }

    private func overwrite(_ patch: MuxEnding.Patch) throws(UploadError) {
        do throws(FileDescriptor.Failure) {
            try file?.write(patch.bytes, at: patch.offset)
        } catch {
            throw .writeFailed(path: path, code: error.code, reason: error.reason)
        }
    }
}
