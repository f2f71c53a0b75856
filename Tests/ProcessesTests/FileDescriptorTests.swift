import Concurrency
import Glibc
import Processes
import TestSupport
import Testing

struct FileDescriptorTests {
    @Test func `An owned descriptor is closed at the end of its owner`() throws {
        let number: Int32
        do {
            let file = try FileDescriptor(path: "/dev/null", flags: O_RDONLY)
            number = file.raw
            #expect(Shell.isOpen(number))
        }
        #expect(!Shell.isOpen(number))
    }

    @Test func `A borrowed descriptor stays open`() throws {
        let file = try FileDescriptor(path: "/dev/null", flags: O_RDONLY)
        do {
            let borrowed = FileDescriptor(borrowing: file.raw)
            #expect(borrowed.raw == file.raw)
        }
        #expect(Shell.isOpen(file.raw))
    }

    @Test func `A released descriptor stays open for its new owner`() throws {
        let number = try FileDescriptor(path: "/dev/null", flags: O_RDONLY).release()
        #expect(Shell.isOpen(number))
        close(number)
    }

    @Test func `An opened file and a pipe are close-on-exec`() throws {
        let file = try FileDescriptor(path: "/dev/null", flags: O_RDONLY)
        let pipe = try Pipe()
        for number in [file.raw, pipe.reading, pipe.writing] { #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0) }
    }

    @Test func `A file that cannot be opened is an error`() {
        #expect(throws: SystemError(code: ENOENT)) {
            _ = try FileDescriptor(path: "/nowhere/file", flags: O_RDONLY).release()
        }
    }

    @Test func `A created file gets the given mode`() async throws {
        try await withTemporaryFolder { folder in
            do {
                let file = try FileDescriptor(path: folder.path + "/file", flags: O_WRONLY | O_CREAT | O_EXCL)
                try file.writeAll("text".utf8)
            }
            #expect(folder.mode(of: "file") == 0o600)
            #expect(folder.text(of: "file") == "text")
        }
    }

    @Test func `The ends of a pipe are closed with it`() throws {
        let ends: [Int32]
        do {
            let pipe = try Pipe()
            ends = [pipe.reading, pipe.writing]
        }
        for end in ends { #expect(!Shell.isOpen(end)) }
    }

    @Test func `An end of a pipe is closed once`() throws {
        var pipe = try Pipe()
        let number = pipe.reading
        pipe.closeReading()
        #expect(!Shell.isOpen(number))
        let afterClose = pipe.reading
        #expect(afterClose == -1)
        // Another file takes the number. Closing the pipe's end again must not close it.
        let null = try FileDescriptor(path: "/dev/null", flags: O_RDONLY)
        let other = FileDescriptor(owning: null.raw == number ? dup(null.raw) : dup2(null.raw, number))
        pipe.closeReading()
        let taken = pipe.takeReading()
        let isTaken = taken != nil
        #expect(!isTaken)
        #expect(Shell.isOpen(number) && Shell.isOpen(other.raw))
        let writing = pipe.writing
        pipe.closeWriting()
        #expect(!Shell.isOpen(writing))
        let afterwards = pipe.writing
        #expect(afterwards == -1)
    }

    @Test func `An end that was taken is closed by its new owner`() throws {
        let number: Int32
        var taken: FileDescriptor?
        do {
            var pipe = try Pipe()
            number = pipe.writing
            taken = pipe.takeWriting()
            let left = pipe.writing
            #expect(left == -1)
        }
        #expect(Shell.isOpen(number))
        taken = nil
        #expect(!Shell.isOpen(number))
        _ = consume taken
    }

    @Test func `The bytes that are written to one end are read from the other one, up to the end`() throws {
        var pipe = try Pipe()
        let reader = FileDescriptor(borrowing: pipe.reading)
        let isEmpty = !reader.waitUntilReadable(milliseconds: 0)
        #expect(isEmpty)
        try pipe.takeWriting()?.writeAll([1, 2, 3])
        let isReadable = reader.waitUntilReadable(milliseconds: -1)
        #expect(isReadable)
        let pieces = [try reader.read(upTo: 2), try reader.read(upTo: 2), try reader.read(upTo: 2)]
        #expect(pieces == [[1, 2], [3], []])
    }

    @Test func `Reading and writing a closed descriptor is an error`() {
        #expect(throws: SystemError(code: EBADF)) { try FileDescriptor.writeAll([1], to: 9999) }
        #expect(throws: SystemError(code: EBADF)) { _ = try FileDescriptor(borrowing: 9999).read(upTo: 1) }
    }

    @Test func `A write to a full non-blocking pipe fails, unless it waits`() async throws {
        let pipe = try Pipe()
        let writing = pipe.writing
        let reading = pipe.reading
        FileDescriptor(borrowing: writing).setNonBlocking()
        #expect(throws: SystemError(code: EAGAIN)) {
            try FileDescriptor.writeAll([UInt8](repeating: 7, count: 1 << 20), to: writing)
        }
        // The pipe is full now.
        let hasWritten = Once<Bool>()
        let thread = NamedThread(name: "writer") {
            hasWritten.set(
                (try? FileDescriptor.writeAll([UInt8](repeating: 8, count: 1 << 20), to: writing, waitsIfFull: true))
                    != nil)
        }
        var eights = 0
        while eights < 1 << 20 { eights += try FileDescriptor(borrowing: reading).read(upTo: 65_536).count { $0 == 8 } }
        #expect(await hasWritten.value)
        await thread.join()
    }

    @Test func `A pipe without a reader is an error and no signal`() throws {
        let older = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, older) }
        var pipe = try Pipe()
        pipe.closeReading()
        let writing = pipe.writing
        #expect(throws: SystemError(code: EPIPE)) { try FileDescriptor.writeAll([1], to: writing) }
        // The thread's mask is as before, and no signal is left in it.
        var mask = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &mask)
        #expect(sigismember(&mask, SIGPIPE) == 0)
    }
}
