import ExtensionFakes
import Foundation
import Media
import Processes
import Synchronization
import TestSupport
import Testing
import Upload

/// Extensions that misbehave, and the environment that a program gets from its host.
struct ProcessHandlerTests {
    /// As in the program: if the reader is gone, the write fails with an error.
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    private static let stream = StreamDescription(
        video: VideoTrackFormat(
            codec: .h264(sequenceParameterSet: [0x67, 0x64, 0, 0x0a], pictureParameterSet: [0x68, 0xee]),
            size: PixelSize(width: 16, height: 16),
            frameRate: 30), audio: [])

    private static func packet(_ number: Int, byteCount: Int = 100) -> EncodedPacket {
        let time = MediaTime(value: Int64(number), timescale: 30)
        let data = [0, 0, UInt8(byteCount >> 8), UInt8(byteCount & 0xff)] + [UInt8](repeating: 0x65, count: byteCount)
        return EncodedPacket(
            track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: UInt32(number),
            data: data)
    }

    /// Sends up to 3000 packets, then finishes. Returns the error, and releases the process as a session does.
    private func play(_ handler: any SampleHandler, count: Int = 3000, byteCount: Int = 100) async -> UploadError? {
        do throws(UploadError) {
            try await handler.started(Self.stream)
            for number in 0..<count { try await handler.process(Self.packet(number, byteCount: byteCount)) }
            try await handler.finished(deadline: .seconds(6))
            return nil
        } catch {
            try? await handler.finished(deadline: .zero)
            return error
        }
    }

    private static let hello = "echo '{\"hello\":1}'\n"

    /// The misbehaviour of an extension, its script, and whether the problem is the expected one.
    private static let hostile: [(what: String, script: String, isExpected: @Sendable (ExtensionProblem) -> Bool)] = [
        ("no hello", "#!/bin/sh\nexec sleep 60\n", { $0 == .noHello(within: .seconds(2)) }),
        (
            "hello of another version", "#!/bin/sh\necho '{\"hello\":2}'\nexec sleep 60\n",
            { $0 == .unsupportedVersion(2) }
        ),
        ("nonsense", "#!/bin/sh\necho 'Hello, world'\nexec sleep 60\n", { $0 == .notAReply }),
        ("nonsense in bytes", "#!/bin/sh\nhead -c 1000 /dev/zero\necho\nexec sleep 60\n", { $0 == .notAReply }),
        ("a line without an end", "#!/bin/sh\n\(hello)cat /dev/zero\n", { $0 == .lineTooLong(limit: 65_536) }),
        ("a flood of lines", "#!/bin/sh\n\(hello)exec yes '{\"status\":\"x\"}'\n", { $0 == .flood }),
        ("an early exit", "#!/bin/sh\n\(hello)exit 3\n", { $0.early == .exited(3) }),
        ("an early exit with 0", "#!/bin/sh\n\(hello)exit 0\n", { $0.early == .exited(0) }),
        ("a crash", "#!/bin/sh\n\(hello)kill -SEGV $$\n", { $0.early == .killed(signal: 11) }),
        ("a closed standard input", "#!/bin/sh\n\(hello)exec <&-\nexec sleep 60\n", { $0 == .closedInput }),
        ("a hang", "#!/bin/sh\n\(hello)exec sleep 60\n", { $0 == .stalled(for: .seconds(2)) }),
        (
            "ignoring finish", "#!/bin/sh\n\(hello)trap '' TERM\ncat > /dev/null\nwhile :; do sleep 1; done\n",
            { $0 == .didNotExit(within: .seconds(2)) }
        ),
        (
            "a failure at the end", "#!/bin/sh\n\(hello)cat > /dev/null\nexit 22\n",
            { if case .endedWithError(.exited(22), _) = $0 { true } else { false } }
        ),
        (
            "a missing interpreter", "#!/nonexistent/python\n",
            { if case .cannotStart(_, let code) = $0 { code == ENOENT } else { false } }
        ),
    ]

    @Test(arguments: hostile.indices)
    func `A hostile extension ends with a typed error and leaves no process`(index: Int) async throws {
        let one = Self.hostile[index]
        try await withPeers { peers in
            let folder = try ProgramFolder(one.script, in: peers)
            var launch = folder.launch()
            // The deadline that the case is about.
            switch one.what {
            case "no hello": launch.deadlines.hello = .seconds(2)
            case "a hang": launch.deadlines.progress = .seconds(2)
            case "ignoring finish": launch.deadlines.exit = .seconds(2)
            default: break
            }
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: launch)
            let start = ContinuousClock.now
            let error = try #require(await play(handler, byteCount: 10_000), "\(one.what)")
            guard case .extension("hostile", let problem) = error else {
                Issue.record("\(one.what): \(error)")
                return
            }
            #expect(one.isExpected(problem), "\(one.what): \(problem)")
            // The scripts sleep for 60 s.
            #expect(ContinuousClock.now - start < .seconds(20), "\(one.what)")
            // A killed process stays in the list until its new parent has reaped it.
            try await waitUntil("the end of what it has started, \(one.what)") {
                try processes(in: folder.folder) == []
            }
        }
    }

    /// The processes whose working folder is `folder`.
    private func processes(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
            guard Int(name) != nil,
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd")
            else { return false }
            return link == folder
        }
    }

    @Test func `An error from the extension keeps its code and message`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                "#!/bin/sh\necho '{\"error\":{\"code\":401,\"message\":\"Not Logged In\",\"retry\":false}}'\nexit 1\n",
                in: peers)
            let error = await play(ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch()))
            #expect(
                error == .extension(name: "hostile", .reported(code: 401, message: "Not Logged In", canRetry: false)))
            #expect(error?.code == 401)
        }
    }

    @Test func `The extension gets a clean environment and no other descriptors`() async throws {
        try await withPeers { peers in
            // Descriptors without close-on-exec, as a careless host may have them.
            let stray = open("/dev/null", O_RDONLY)
            defer { close(stray) }
            let variables = ["DISPLAY": ":77", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]
            let before = variables.keys.map { ($0, ProcessInfo.processInfo.environment[$0]) }
            for (name, value) in variables { setenv(name, value, 1) }
            defer { for (name, value) in before { if let value { setenv(name, value, 1) } else { unsetenv(name) } } }
            let folder = try ProgramFolder(
                """
                #!/usr/bin/env python3
                import os, sys, signal
                open("environment", "w").write("\\n".join(sorted(k for k in os.environ if k != "LC_CTYPE")))
                open("descriptors", "w").write(" ".join(sorted(d for d in os.listdir("/proc/self/fd") if os.path.exists("/proc/self/fd/" + d))))
                open("group", "w").write(str(os.getpgid(0) == os.getpid()))
                open("ignored", "w").write([l for l in open("/proc/self/status") if l.startswith("SigBlk")][0].split()[1])
                print('{"hello":1}', flush=True)
                sys.stdin.buffer.read()
                """, in: peers)
            #expect(
                await play(ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch()), count: 10)
                    == nil)
            #expect(folder.text("environment") == "HOME\nLANG\nPATH")
            // The fourth entry is the folder itself and the file that is being written.
            #expect(folder.text("descriptors").split(separator: " ").prefix(3) == ["0", "1", "2"])
            #expect(
                folder.text("descriptors").split(separator: " ").allSatisfy { Int($0).map { $0 < 5 } == true },
                "\(folder.text("descriptors"))")
            #expect(folder.text("group") == "True")
            #expect(Int(folder.text("ignored"), radix: 16) == 0)
        }
    }

    @Test func `An error from the extension does not repeat the path and the query of its address`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                "#!/bin/sh\necho '{\"error\":{\"code\":403,\"message\":\"No http://h/up/KEY1?a=KEY2-long to KEY2-long\",\"retry\":false}}'\nexit 1\n",
                in: peers)
            var launch = folder.launch()
            launch.setup = ["url": "http://h/up/KEY1?a=KEY2-long"]
            let error = await play(ExtensionSamplesHandler(manifest: folder.manifest, launch: launch))
            #expect(
                error
                    == .extension(
                        name: "hostile", .reported(code: 403, message: "No http://h…?… to …", canRetry: false)))
        }
    }

    @Test func `Remarks reach the host, and standard error reaches the log`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                """
                #!/bin/sh
                echo '{"hello":1}'
                echo 'a line for the log' >&2
                echo '{"status":"working","watch_url":"https://example.com/watch","unknown":[1]}'
                                echo '{"request":"keyframe"}'
                echo '{"viewers":-1}'
                echo '{"viewers":7}'
                printf '%s\\n' '{"comment":{"from":"A\\u001b[31mda","text":"Hello\\nall"}}'
                echo '{"comment":{"from":"Bob","text":""}}'
                exec cat > received
                """, in: peers)
            let comments = Mutex<[ViewerComment]>([])
            let log = Mutex<[UploadNotice]>([])
            let keyframes = Atomic(0)
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch())
            handler.attach(
                HandlerContext(
                    requestKeyframe: { keyframes.add(1, ordering: .relaxed) },
                    report: { notice in log.withLock { $0.append(notice) } },
                    comment: { comment in comments.withLock { $0.append(comment) } }, clockOrigin: { 12_345 }))
            #expect(await play(handler, count: 500) == nil)
            #expect(handler.remarks.viewers == 7)
            #expect(comments.withLock { $0 } == [ViewerComment(name: "A[31mda", text: "Helloall")])
            #expect(handler.remarks.watchURL == "https://example.com/watch" && handler.remarks.status == "working")
            #expect(keyframes.load(ordering: .relaxed) == 1)
            #expect(log.withLock { $0 } == [.extensionSaid(name: "hostile", line: "a line for the log")])
            let received = FileManager.default.contents(atPath: folder.folder + "/received")?.count
            #expect(handler.byteCount == received, "\(handler.byteCount) bytes sent")
            // Once, between the start and the first sample.
            let bytes = folder.text("received")
            #expect(bytes.ranges(of: #"{"clock":12345,"event":"clock"}"#).count == 1)
        }
    }

    @Test func `A bitrate that an extension reports holds until it takes it back`() async throws {
        for (line, expected) in [("{}", 1500), (#"{"queue_ms":0}"#, 1500), (#"{"bitrate_kbps":0}"#, nil)] {
            try await withPeers { peers in
                let folder = try ProgramFolder(
                    """
                    #!/bin/sh
                    echo '{"hello":1}'
                    echo '{"queue_ms":300,"bitrate_kbps":1500}'
                    echo '\(line)'
                    exec cat > received
                    """, in: peers)
                let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch())
                #expect(await play(handler, count: 500) == nil)
                #expect(handler.remarks.bitrate == expected, "\(line)")
            }
        }
    }

    @Test func `Only a bitrate that falls is told at once`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                """
                #!/bin/sh
                echo '{"hello":1}'
                for bitrate in 0 1500 1500 1600 1400 0 9000; do echo "{\\"bitrate_kbps\\":$bitrate}"; done
                exec cat > received
                """, in: peers)
            let falls = Atomic(0)
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch())
            handler.attach(HandlerContext(acceptsLess: { falls.add(1, ordering: .relaxed) }))
            #expect(await play(handler, count: 500) == nil)
            #expect(handler.remarks.bitrate == 9000)
            // To 1500, to 1400, and to 9000 from no limit.
            #expect(falls.load(ordering: .relaxed) == 3)
        }
    }

    @Test func `What an extension reports after the end of the broadcast is its final status`() async throws {
        for (last, expected) in [("2 segments are lost", "2 segments are lost"), ("", nil)] as [(String, String?)] {
            try await withPeers { peers in
                let folder = try ProgramFolder(
                    """
                    #!/bin/sh
                    echo '{"hello":1}'
                    cat > received
                    echo '{"status":"uploading the end"}'
                    echo '{"status":"\(last)"}'
                    """, in: peers)
                let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch())
                #expect(await play(handler, count: 5) == nil)
                #expect(handler.remarks.finalStatus == expected)
            }
        }
    }

    @Test func `The extension reports when its far end is ready, and has a time limit for it`() async throws {
        try await withPeers { peers in
            let script = """
                #!/bin/sh
                echo '{"hello":1,"ready":false}'
                while [ ! -e go ]; do sleep 0.01; done
                echo '{"ready":true}'
                exec cat > /dev/null
                """
            let folder = try ProgramFolder(script, in: peers)
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch())
            try await handler.started(Self.stream)
            #expect(!handler.remarks.isReady)
            try await handler.process(Self.packet(0))
            #expect(!handler.remarks.isReady)
            try "".write(toFile: folder.folder + "/go", atomically: true, encoding: .utf8)
            try await waitUntil("the word of it") {
                try await handler.process(Self.packet(1))
                return handler.remarks.isReady
            }
            try await handler.finished(deadline: .seconds(6))

            let late = try ProgramFolder(script, in: peers)
            var launch = late.launch()
            launch.deadlines.ready = .zero
            let error = try #require(await play(ExtensionSamplesHandler(manifest: late.manifest, launch: launch)))
            #expect(error == .extension(name: "hostile", .notReady(within: .zero)))
        }
    }

    @Test func `Processes that the extension started end with it`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                "#!/bin/sh\n\(Self.hello)sleep 300 &\nsleep 300 | sleep 300 &\ncat > /dev/null\n", in: peers)
            #expect(
                await play(ExtensionSamplesHandler(manifest: folder.manifest, launch: folder.launch()), count: 10)
                    == nil)
            try await waitUntil("an empty folder") { try processes(in: folder.folder) == [] }
        }
    }

    @Test func `A cancelled task does not wait for a blocked reader`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder("#!/bin/sh\n\(Self.hello)exec sleep 60\n", in: peers)
            var launch = folder.launch()
            launch.deadlines.progress = .seconds(60)
            let handler = ExtensionSamplesHandler(manifest: folder.manifest, launch: launch)
            let task = Task { await play(handler, byteCount: 10_000) }
            try await waitUntil("the pipe to be full") { handler.byteCount > 60_000 }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            let start = ContinuousClock.now
            #expect(await task.value != nil)
            // The program sleeps for 60 s, and so long may it make no progress.
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }

    @Test(arguments: [
        (1920, VideoTrackFormat.Codec.i420, true), (8192, .i420, false), (5000, .i420, true), (5000, .i444, false),
    ])
    func `A raw picture that no frame can hold is refused before the program starts`(
        width: Int, codec: VideoTrackFormat.Codec, isAccepted: Bool
    ) async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder("#!/bin/sh\ntouch started\n\(Self.hello)exec cat > /dev/null\n", in: peers)
            var manifest = folder.manifest
            manifest.video = .i420
            let size = PixelSize(width: width, height: width)
            let handler = ExtensionSamplesHandler(manifest: manifest, launch: folder.launch())
            let stream = StreamDescription(video: VideoTrackFormat(codec: codec, size: size, frameRate: 30), audio: [])
            var error: UploadError?
            do throws(UploadError) {
                try await handler.started(stream)
                try await handler.finished(deadline: .seconds(6))
            } catch let problem {
                error = problem
            }
            let refusal = UploadError.extension(name: "hostile", .pictureTooLarge(size, limit: 64 << 20))
            #expect(error == (isAccepted ? nil : refusal))
            #expect(FileManager.default.fileExists(atPath: folder.folder + "/started") == isAccepted)
        }
    }

    @Test func `The program of a stream needs no hello and may print other text`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder(
                "#!/bin/sh\necho HTTP/1.1 200 OK\nexec cat > received\n", mode: .stream, in: peers)
            #expect(
                await play(ExtensionStreamHandler(manifest: folder.manifest, launch: folder.launch()), count: 100)
                    == nil)
            let data = FileManager.default.contents(atPath: folder.folder + "/received") ?? Data()
            #expect(data.count > 188 && data.count % 188 == 0 && data[0] == 0x47)
        }
    }

    @Test func `Several audio tracks are rejected at the start for FLV`() async throws {
        try await withPeers { peers in
            let folder = try ProgramFolder("#!/bin/sh\n", mode: .stream, in: peers)
            var manifest = folder.manifest
            manifest.container = .flv
            manifest.tracks = ["screen", "app", "mic"]
            let error = await play(ExtensionStreamHandler(manifest: manifest, launch: folder.launch()))
            #expect(error == .extension(name: "hostile", .tooManySoundTracks(2)))
        }
    }
}

extension ExtensionProblem {
    /// The exit status of the process if it ended before the broadcast.
    fileprivate var early: TerminationStatus? {
        if case .endedEarly(let status, _) = self { status } else { nil }
    }
}
