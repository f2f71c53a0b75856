import Glibc
import Processes
import TestSupport
import Testing

struct BackgroundWriterTests {
    /// More than any pipe or terminal holds.
    private static let flood = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)

    @Test func `Lines keep their order`() throws {
        var pipe = try Pipe()
        let lines = (0..<300).map { "line \($0)\n" }
        do {
            let writer = BackgroundWriter(descriptor: pipe.writing, name: "writer")
            for line in lines { writer.write(line) }
            writer.setStatus("status")
            #expect(writer.flush(within: .seconds(60)))
        }
        pipe.closeWriting()
        #expect(try Shell.readAll(pipe.reading) == lines.joined() + "status")
    }

    @Test func `Of several statuses the newest is shown, after the lines`() throws {
        let pipe = try Pipe()
        let writer = BackgroundWriter(descriptor: pipe.writing, name: "writer")
        writer.write(Self.flood)
        // From here on the thread is inside a write that does not end.
        try waitUntilReadable(pipe.reading)
        for status in ["first", "second", "third"] { writer.setStatus(status) }
        writer.write("line ")
        #expect(try read(Self.flood.count + 10, from: pipe.reading).suffix(10) == Array("line third".utf8))
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test func `A status that was taken back is not shown`() throws {
        let pipe = try Pipe()
        let writer = BackgroundWriter(descriptor: pipe.writing, name: "writer")
        writer.write(Self.flood)
        try waitUntilReadable(pipe.reading)
        writer.setStatus("status")
        writer.setStatus(nil)
        writer.write("end")
        #expect(try read(Self.flood.count + 3, from: pipe.reading).suffix(3) == Array("end".utf8))
        #expect(writer.flush(within: .seconds(60)))
        let isMoreThere = FileDescriptor(borrowing: pipe.reading).waitUntilReadable(milliseconds: 0)
        #expect(!isMoreThere)
    }

    @Test func `A pipe without a reader delays no caller, and the oldest lines are dropped`() throws {
        var pipe = try Pipe()
        let writer = BackgroundWriter(
            descriptor: pipe.takeWriting()?.release() ?? -1, ownsDescriptor: true, name: "writer")
        writer.write(Self.flood)
        try waitUntilReadable(pipe.reading)
        for number in 0..<600 { writer.write("\(number)\n") }
        writer.setStatus("status")
        #expect(!writer.flush(within: .milliseconds(20)))
        // The reader is there again: the newest 512 lines come in order.
        let left = (88..<600).map { "\($0)\n" }.joined() + "status"
        let rest = try read(Self.flood.count + left.utf8.count, from: pipe.reading).dropFirst(Self.flood.count)
        #expect(String(decoding: rest, as: UTF8.self) == left)
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test func `A terminal without a reader delays no caller`() throws {
        let terminal = try FileDescriptor(path: "/dev/ptmx", flags: O_RDWR | O_NOCTTY)
        // TIOCSPTLCK and TIOCGPTN, macros that Swift does not import: they unlock the other side and give its number.
        var isLocked: CInt = 0
        var number: CInt = 0
        try #require(ioctl(terminal.raw, 0x4004_5431, &isLocked) == 0 && ioctl(terminal.raw, 0x8004_5430, &number) == 0)
        let otherSide = try FileDescriptor(path: "/dev/pts/\(number)", flags: O_RDWR | O_NOCTTY).release()
        let writer = BackgroundWriter(descriptor: otherSide, ownsDescriptor: true, name: "writer")
        writer.write(Self.flood)
        try waitUntilReadable(terminal.raw)
        for number in 0..<1000 { writer.write("\(number)\n") }
        for number in 0..<1000 { writer.setStatus("\(number)") }
        #expect(!writer.flush(within: .milliseconds(20)))
        // Without its other side the terminal gives an error, and the thread ends.
        _ = consume terminal
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test func `A reader that has closed the pipe is not an error`() throws {
        let older = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, older) }
        var pipe = try Pipe()
        pipe.closeReading()
        let writer = BackgroundWriter(descriptor: pipe.writing, name: "writer")
        writer.write("text")
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test func `Nothing is lost on a descriptor that is non-blocking`() throws {
        let pipe = try Pipe()
        FileDescriptor(borrowing: pipe.writing).setNonBlocking()
        let writer = BackgroundWriter(descriptor: pipe.writing, name: "writer")
        writer.write(Self.flood)
        writer.write("end")
        #expect(try read(Self.flood.count + 3, from: pipe.reading).suffix(3) == Array("end".utf8))
        #expect(writer.flush(within: .seconds(60)))
    }

    @Test func `An owned descriptor is closed after the last line`() throws {
        var pipe = try Pipe()
        do {
            let writer = BackgroundWriter(
                descriptor: pipe.takeWriting()?.release() ?? -1, ownsDescriptor: true, name: "writer")
            writer.write("last")
        }
        // It comes to its end.
        #expect(try Shell.readAll(pipe.reading) == "last")
    }

    private func waitUntilReadable(_ descriptor: Int32) throws {
        let isReadable = FileDescriptor(borrowing: descriptor).waitUntilReadable(milliseconds: 30_000)
        try #require(isReadable)
    }

    private func read(_ count: Int, from descriptor: Int32) throws -> [UInt8] {
        let reader = FileDescriptor(borrowing: descriptor)
        var bytes: [UInt8] = []
        while bytes.count < count, reader.waitUntilReadable(milliseconds: 30_000) {
            let more = try reader.read(upTo: count - bytes.count)
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }
}
