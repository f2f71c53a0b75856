import Foundation
import Glibc
import Media
import Synchronization
import TestSupport
import Testing
import Upload

/// Files that several broadcasts want to write, and disks without room.
struct FileHandlerTests {
    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x64, 0, 0x0a], pictureParameterSet: [0x68, 0xee]),
            size: PixelSize(width: 16, height: 16),
            frameRate: 30), audio: [])

    private func packet(_ number: Int, bytes: Int = 200) -> EncodedPacket {
        let time = MediaTime(value: Int64(number), timescale: 30)
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: number % 30 == 0,
            sequence: UInt32(number),
            data: [0, 0, 0, UInt8(bytes - 4), 0x65] + [UInt8](repeating: 7, count: bytes - 5))
    }

    /// Starts `count` handlers at the same time on threads of their own. Returns those that started, and the errors of
    /// the others.
    private func startTogether(_ count: Int, at path: String) async -> (started: [FileHandler], errors: [UploadError]) {
        await withTaskGroup(of: (FileHandler, UploadError?).self) { group in
            for _ in 0..<count {
                group.addTask {
                    let handler = FileHandler(path: path, format: .mp4)
                    do throws(UploadError) {
                        try await handler.started(Self.stream)
                        return (handler, nil)
                    } catch {
                        return (handler, error)
                    }
                }
            }
            var result: (started: [FileHandler], errors: [UploadError]) = ([], [])
            for await (handler, error) in group {
                if let error { result.errors.append(error) } else { result.started.append(handler) }
            }
            return result
        }
    }

    @Test(arguments: [nil, "an older file", ""])
    func `If several broadcasts start with the same file at the same time, one of them writes it`(older: String?)
        async throws
    {
        try await withPeers { peers in
            let folder = try peers.makeFolder("out")
            for round in 0..<20 {
                let path = folder + "/\(round).mp4"
                if let older { try older.write(toFile: path, atomically: false, encoding: .utf8) }
                let (started, errors) = await startTogether(4, at: path)
                #expect(
                    started.count == 1
                        && errors == [UploadError](repeating: .cannotCreate(path: path, .inUse), count: 3), "\(errors)")
                for handler in started {
                    try await handler.process(packet(0))
                    try await handler.finished(deadline: .seconds(1))
                    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                    #expect(size == handler.byteCount)
                }
                if let older, !older.isEmpty {
                    #expect(try String(contentsOfFile: folder + "/\(round).1.mp4", encoding: .utf8) == older)
                }
            }
        }
    }

    @Test(arguments: [
        ("a.mp4", ["a.1.mp4", "a.2.mp4", "a.3.mp4"]), ("a.b/talk", ["a.b/talk.1", "a.b/talk.2", "a.b/talk.3"]),
        (".mp4", [".mp4.1", ".mp4.2", ".mp4.3"]),
    ])
    func `A file that is finished is moved aside to the next free number, in front of its ending`(
        name: String, older: [String]
    ) async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("out")
            try FileManager.default.createDirectory(atPath: folder + "/a.b", withIntermediateDirectories: true)
            let path = folder + "/" + name
            let notices = Mutex<[UploadNotice]>([])
            for number in 0..<4 {
                let handler = FileHandler(path: path, format: .mp4)
                handler.attach(HandlerContext(report: { notice in notices.withLock { $0.append(notice) } }))
                try await handler.started(Self.stream)
                for index in 0...number { try await handler.process(packet(index)) }
                try await handler.finished(deadline: .seconds(1))
            }
            let names = older.map { folder + "/" + $0 }
            #expect(notices.withLock { $0 } == names.map { .keptOlderFile(path: path, as: $0) })
            let sizes = try ([path] + names).map {
                try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int ?? 0
            }
            #expect(Set(sizes).count == 4)
        }
    }

    @Test func `Devices are shared`() async throws {
        let (started, errors) = await startTogether(3, at: "/dev/null")
        #expect(started.count == 3 && errors.isEmpty)
        for handler in started { try await handler.finished(deadline: .seconds(1)) }
    }

    @Test func `A clip is written only to an ordinary file, and waits for no reader`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("out")
            let pipe = folder + "/pipe.mp4"
            try #require(mkfifo(pipe, 0o600) == 0)
            for path in [pipe, "/dev/null"] {
                await #expect(throws: UploadError.cannotCreate(path: path, .notOrdinary)) {
                    try await FileHandler.write(WaitingPackets([packet(0)]), of: Self.stream, to: path)
                }
            }
            await #expect(throws: UploadError.cannotCreate(path: folder, .system(code: EISDIR))) {
                try await FileHandler.write(WaitingPackets([packet(0)]), of: Self.stream, to: folder)
            }
            try await FileHandler.write(WaitingPackets([packet(0)]), of: Self.stream, to: folder + "/a.mp4")
            #expect(FileManager.default.fileExists(atPath: folder + "/a.mp4"))
        }
    }

    @Test func `Nothing is written to a terminal`() async throws {
        var (controller, terminal) = (Int32(-1), Int32(-1))
        let result = openpty(&controller, &terminal, nil, nil, nil)
        try #require(result == 0)
        defer {
            close(controller)
            close(terminal)
        }
        let path = String(cString: try #require(ttyname(terminal)))
        await #expect(throws: UploadError.cannotCreate(path: path, .terminal)) {
            try await FileHandler(path: path, format: .mpegts).started(Self.stream)
        }
        var poller = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        let count = poll(&poller, 1, 0)
        #expect(count == 0)
    }

    @Test func `A picture that FLV cannot hold is an error, and the file plays up to it`() async throws {
        try await withPeers { peers in
            let path = try peers.makeFolder("out") + "/out.flv"
            let handler = FileHandler(path: path, format: .flv)
            try await handler.started(Self.stream)
            try await handler.process(packet(0))
            let before = handler.byteCount
            let large = EncodedPacket(
                track: .screen, presentationTime: MediaTime(milliseconds: 33), decodeTime: MediaTime(milliseconds: 33),
                isKeyframe: true, sequence: 1,
                data: [UInt8](repeating: 1, count: 1 << 24))
            await #expect(throws: UploadError.pictureTooLarge) { try await handler.process(large) }
            try await handler.finished(deadline: .zero)
            #expect(handler.byteCount == before)
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int == before)
        }
    }

    @Test func `A disk without room for the first picture keeps no empty file`() async throws {
        try await withPeers { peers in
            let path = try peers.makeFolder("out") + "/full.mp4"
            let handler = FileHandler(path: path, format: .mp4)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var lower = rlimit(rlim_cur: 100, rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &lower)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
            await #expect(throws: UploadError.cannotCreate(path: path, .system(code: EFBIG))) {
                try await handler.started(Self.stream)
                for number in 0..<75 { try await handler.process(packet(number)) }
            }
            try await handler.finished(deadline: .zero)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test(arguments: ContainerFormat.allCases) func `A file that ends before its first picture is removed, and said`(
        format: ContainerFormat
    ) async throws {
        try await withPeers { peers in
            let path = try peers.makeFolder("out") + "/empty"
            let handler = FileHandler(path: path, format: format)
            try await handler.started(Self.stream)
            await #expect(throws: UploadError.nothingRecorded(path: path)) {
                try await handler.finished(deadline: .seconds(1))
            }
            #expect(!FileManager.default.fileExists(atPath: path) && handler.byteCount == 0)
            try await handler.finished(deadline: .zero)
        }
    }

    @Test func `A disk without room for the index keeps all media`() async throws {
        try await withPeers { peers in
            let folder = try peers.makeFolder("out")
            func write(_ name: String) async throws -> (media: Int, error: UploadError?) {
                let handler = FileHandler(path: folder + "/" + name, format: .mp4)
                try await handler.started(Self.stream)
                for number in 0..<75 { try await handler.process(packet(number)) }
                do throws(UploadError) {
                    try await handler.finished(deadline: .seconds(1))
                    return (handler.byteCount, nil)
                } catch {
                    return (handler.byteCount, error)
                }
            }
            _ = try await write("whole.mp4")
            let whole = try Data(contentsOf: URL(fileURLWithPath: folder + "/whole.mp4"))
            // The index is at the end.
            let index = try #require(whole.range(of: Data("moov".utf8), options: .backwards)).lowerBound - 4
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var lower = rlimit(rlim_cur: rlim_t(index + 100), rlim_max: limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &lower)
            let result = try await write("full.mp4")
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(result.error == .writeFailed(path: folder + "/full.mp4", code: EFBIG) && result.media == index)
            let full = try Data(contentsOf: URL(fileURLWithPath: folder + "/full.mp4"))
            #expect(full.count == index)
            // Every picture is there; only the placeholder of the media header differs.
            #expect(full[100...] == whole[100..<index])
        }
    }
}
