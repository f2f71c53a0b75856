import Glibc
import Media
import Mux
import Processes
import Synchronization

/// Writes a container to a file: MP4, Matroska, FLV, MPEG-TS, H.264 or Y4M.
package actor FileHandler: SampleHandler {
    /// The disk gets the file in parts of this size while it is written, so that a slow disk has little to write at the
    /// end.
    private static let flushSize = 1 << 20

    private let path: String
    private let format: ContainerFormat
    /// False to write only an ordinary file, not a named pipe or a device.
    private let acceptsPipes: Bool
    private var muxer: any Muxer
    private var file: OutputFile?
    private var isSeekable = true
    /// True after a write failed. The handler then does not write the end, for example on a full disk.
    private var isBroken = false
    /// The bytes that were written, also those of pieces of which only a part was written.
    private let written = Atomic(0)
    /// The bytes of pieces that were written completely.
    private var completeByteCount = 0
    /// The bytes before the first packet.
    private var headByteCount = 0
    /// True once there was a picture or sound, which the muxer may still hold.
    private var hasMedia = false
    private let isOnDisk = Atomic(false)
    /// The number of bytes that were given to the disk. The kernel keeps the others in memory, up to half a minute of
    /// them.
    private var flushed = 0
    private var space = DiskSpaceWatch()
    private let context = Mutex(HandlerContext())
    package nonisolated var byteCount: Int { written.load(ordering: .relaxed) }
    package nonisolated var remarks: HandlerRemarks {
        var remarks = HandlerRemarks()
        remarks.isOnDisk = isOnDisk.load(ordering: .relaxed)
        return remarks
    }

    /// - Parameter acceptsPipes: false to write only an ordinary file, so that no reader is waited for.
    package init(path: String, format: ContainerFormat, acceptsPipes: Bool = true) {
        self.path = path
        self.format = format
        self.acceptsPipes = acceptsPipes
        muxer = format.makeMuxer(isSeekable: true, store: SpillFile(besides: path))
    }

    package nonisolated func attach(_ context: HandlerContext) {
        self.context.withLock { $0 = context }
    }

    private func report(_ notice: UploadNotice) {
        context.withLock { $0.report }(notice)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        var isWaiting = false
        if !acceptsPipes { try requireOrdinary() }
        while file == nil {
            do throws(UploadError) {
                try keepOlder()
                try open()
            } catch .cannotCreate(_, .system(code: ENXIO)) where acceptsPipes {
                if !isWaiting { report(.waitsForReader(path: path)) }
                isWaiting = true
                try await waitForReader()
            }
        }
        // A named pipe or a device cannot be rewritten.
        isSeekable = file?.isSeekable ?? true
        isOnDisk.store(isSeekable, ordering: .relaxed)
        if !isSeekable { muxer = format.makeMuxer(isSeekable: false) }
        try write(muxer.begin(stream))
        headByteCount = completeByteCount
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        try muxer.checkSize(of: packet)
        hasMedia = true
        try write(muxer.pieces(of: packet))
        watchSpace(at: packet.presentationTime)
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        guard file != nil else { return }
        defer { file = nil }
        guard !isBroken else { return }
        guard hasMedia || file?.isOrdinary != true else {
            remove()
            written.store(0, ordering: .relaxed)
            throw .nothingRecorded(path: path)
        }
        let ending = muxer.end()
        try write(ending.bytes)
        try write(ending.index)
        guard isSeekable, !ending.patches.isEmpty else { return }
        // The end is on the disk before the fields that point to it, so a power cut between the two leaves a playable
        // file. A slow disk does not prevent them: without them, the recording has no duration.
        _ = await file?.beginSynchronization()?.join(within: deadline)
        for patch in ending.patches { try overwrite(patch) }
    }

    /// Throws if a named pipe or a device is at `path`. To open one can have an effect.
    private func requireOrdinary() throws(UploadError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG, status.st_mode & S_IFMT != S_IFDIR else {
            return
        }
        throw .cannotCreate(path: path, .notOrdinary)
    }

    /// Waits before the next attempt to open a named pipe that has no reader. Throws if the broadcast ends.
    private func waitForReader() async throws(UploadError) {
        do {
            try await Task.sleep(for: .milliseconds(50))
        } catch {
            throw .pipeWithoutReader(path: path)
        }
    }

    /// Opens the file and locks it, so that no other broadcast writes it. `file` stays nil if another program replaced
    /// or filled the file during this call. The caller tries again then.
    private func open() throws(UploadError) {
        let opened: OutputFile
        do throws(SystemError) {
            opened = try OutputFile(openingOrCreating: path)
        } catch {
            throw .cannotCreate(path: path, .system(code: error.code))
        }
        // It was replaced since `requireOrdinary`.
        let isOrdinary = opened.isOrdinary
        guard acceptsPipes || isOrdinary else { throw .cannotCreate(path: path, .notOrdinary) }
        guard !opened.isTerminal else { throw .cannotCreate(path: path, .terminal) }
        guard opened.lock() else { throw .cannotCreate(path: path, .inUse) }
        guard opened.isEmpty, opened.isStill(at: path) else { return }
        file = .some(opened)
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
        // The lock of the older file is kept during the move: another broadcast holds it while it writes the file, or
        // while it moves the file itself.
        let older: OutputFile
        do throws(SystemError) {
            older = try OutputFile(reading: target)
        } catch {
            // Another broadcast has just moved it.
            if error.code == ENOENT { return }
            // A file that cannot be read cannot be locked, but can be moved.
            return try moveAside(target)
        }
        guard older.lock() else { throw .cannotCreate(path: path, .inUse) }
        guard older.isStill(at: target) else { return }
        try moveAside(target)
    }

    private func moveAside(_ target: String) throws(UploadError) {
        var number = 1
        while true {
            let aside = Self.name(number, of: target)
            let code = moveWithoutReplacing(target, to: aside)
            if code == 0 { return report(.keptOlderFile(path: path, as: aside)) }
            guard code == EEXIST else { throw .cannotCreate(path: path, .cannotMoveAside(code: code)) }
            number += 1
        }
    }

    /// Returns `talk.1.mp4` for `talk.mp4`: players and `*.mp4` still find the file by its ending.
    private static func name(_ number: Int, of path: String) -> String {
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        // A dot at the start of a name only hides the file.
        guard let dot = name.dropFirst().lastIndex(of: ".") else { return "\(path).\(number)" }
        return "\(path[..<dot]).\(number)\(path[dot...])"
    }

    /// Returns 0 or errno; EEXIST if `aside` exists.
    private func moveWithoutReplacing(_ target: String, to aside: String) -> Int32 {
        // A new link never replaces a file, which rename(2) does.
        if link(target, aside) == 0 { return unlink(target) == 0 ? 0 : errno }
        // Not every file system has links, and not every file may be linked.
        if errno == EEXIST || access(aside, F_OK) == 0 { return EEXIST }
        return rename(target, aside) == 0 ? 0 : errno
    }

    private func watchSpace(at time: MediaTime) {
        guard isSeekable, space.isDue(at: time), let free = file?.freeSpace else { return }
        if let left = space.look(at: time, byteCount: byteCount, free: free) { report(.diskFillsUp(path: path, left)) }
    }

    private func write(_ bytes: [UInt8]) throws(UploadError) { try write([bytes]) }

    /// Writes pieces that belong together: they are in the file all or not at all.
    private func write(_ pieces: [[UInt8]]) throws(UploadError) {
        do throws(SystemError) {
            for piece in pieces { try file?.write(piece) { written.add($0, ordering: .relaxed) } }
            completeByteCount = byteCount
            if isSeekable, completeByteCount - flushed >= Self.flushSize {
                file?.startWriteback(from: flushed, count: completeByteCount - flushed)
                flushed = completeByteCount
            }
        } catch {
            isBroken = true
            // The reader of a named pipe may end at any time, like that of standard output.
            if error.code == EPIPE { throw .readerClosed }
            if error.code == ECANCELED {
                throw .readerStalled(path: path)
            }
            // Keep only whole fragments: players cannot handle a partial one at the end.
            file?.truncate(to: completeByteCount)
            written.store(completeByteCount, ordering: .relaxed)
            if isSeekable, completeByteCount <= headByteCount {
                remove()
                throw .cannotCreate(path: path, .system(code: error.code))
            }
            throw .writeFailed(path: path, code: error.code)
        }
    }

    /// Removes the file, which contains no picture and no sound. A link to a file stays.
    private func remove() {
        var status = stat()
        let isFile = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile, file?.isStill(at: path) == true { unlink(path) }
    }

    private func overwrite(_ patch: MuxEnding.Patch) throws(UploadError) {
        do throws(SystemError) {
            try file?.write(patch.bytes, at: patch.offset)
        } catch {
            throw .writeFailed(path: path, code: error.code)
        }
    }
}
