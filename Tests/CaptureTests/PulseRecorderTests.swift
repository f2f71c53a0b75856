import Concurrency
import Foundation
import Media
import PulseCapture
import TestPatterns
import TestSupport
import Testing
import WindowPrivacy
import X11Capture

/// Tests recording from a real PulseAudio server: its times, and a server that is lost and restarted.
struct PulseRecorderTests {
    // MARK: Sound

    @Test func `two sources are recorded side by side, each as its own track`() async throws {
        try await withServer(sinks: [.init("app"), .init("other", rate: 44_100)]) { peers, server in
            try await PaintedScreen.start(["tone"], pulse: server, in: peers)
            let recording = try Recording([
                PulseRequest(track: .app), PulseRequest(track: .mic, sourceName: "other.monitor"),
            ])
            try await recording.run("sound of both") {
                recording.loudFrames > 9600
                    && recording.pieces.filter { $0.sample.track == .mic }.reduce(0) { $0 + $1.sound.frameCount } > 9600
            }
            #expect(recording.events.count == 2)
            #expect(recording.events.contains(.started(.app, source: "app.monitor")))
            #expect(recording.events.contains(.started(.mic, source: "other.monitor")))
            // Nothing plays on this sink.
            #expect(
                recording.pieces.filter { $0.sample.track == .mic }.allSatisfy {
                    $0.sound.samples.allSatisfy { $0 == 0 }
                })
        }
    }

    @Test func `the recording follows the default sink`() async throws {
        try await withServer(sinks: [.init("app"), .init("other")]) { peers, server in
            let recording = try Recording([PulseRequest(track: .app)])
            try await recording.run("the first sink") { recording.events == [.started(.app, source: "app.monitor")] }
            try await server.control(["set-default-sink", "other"])
            try await recording.run("the second sink") {
                recording.events.last == .started(.app, source: "other.monitor")
            }
            recording.pieces.removeAll()
            try await recording.run("its sound") { recording.frameCount > 9600 }
        }
    }

    // MARK: One application

    @Test func `one application is recorded without the others, and its streams are added up`() async throws {
        try await withServer { peers, server in
            try await play(1000, as: "Other", on: server, in: peers)
            try await play(440, as: "Firefox", on: server, in: peers)
            let recording = try Recording([PulseRequest(track: .app, sourceName: "app:firefox")])
            try await recording.run("sound") { recording.loudFrames > 4800 }
            recording.pieces.removeAll()
            try await recording.run("a second of it") { recording.frameCount >= 48_000 }
            #expect(recording.events == [.started(.app, source: "app:firefox")])
            #expect(abs(recording.level(of: 440) - 0.251) < 0.02)
            #expect(recording.leak(of: 1000) < 0.01)

            try await play(2500, as: "Firefox", on: server, in: peers)
            try await recording.run("the second stream") {
                recording.pieces.suffix(10).contains { $0.sound.samples.contains { abs($0) > 0.4 } }
            }
            recording.pieces.removeAll()
            try await recording.run("a second of both") { recording.frameCount >= 48_000 }
            #expect(abs(recording.level(of: 440) - 0.251) < 0.02)
            #expect(abs(recording.level(of: 2500) - 0.251) < 0.02)
            #expect(recording.leak(of: 1000) < 0.01)
        }
    }

    @Test func `the sound of a hidden window's process is muted when the window is hidden`() async throws {
        try await withServer(sinks: [.init("app"), .init("other")]) { peers, server in
            let secret = try await play(1000, as: "Secret", on: server, in: peers)
            try await play(440, as: "Open", on: server, in: peers)
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            let windows = HiddenWindowRules()
            let source = try X11ScreenSource(ScreenRequest(display: screen.display), hiding: windows)
            let recording = try Recording([PulseRequest(track: .app, mutedWindows: windows)])
            // It is not yet known which windows are hidden.
            for _ in 0..<20 { recording.iterate(MediaTime(milliseconds: 20)) }
            #expect(recording.pieces.isEmpty)
            _ = try source.nextSample(at: .zero)
            try await recording.run("both sounds") {
                recording.pieces.suffix(10).contains { $0.sound.samples.contains { abs($0) > 0.4 } }
            }
            recording.pieces.removeAll()
            try await recording.run("a second of both") { recording.frameCount >= 48_000 }
            #expect(recording.events == [.started(.app, source: "app.monitor")])
            #expect(abs(recording.level(of: 440) - 0.251) < 0.02)
            #expect(abs(recording.level(of: 1000) - 0.251) < 0.02)

            windows.hide(.process(secret.processIdentifier))
            _ = try source.nextSample(at: MediaTime(milliseconds: 1))
            #expect(windows.mutedSound == .processes([secret.processIdentifier]))
            try await expectOnly(440, without: 1000, in: recording)
        }
    }

    @Test(arguments: ["application.process.id=2", "application.process.id=none", "application.process.id=1073741824"])
    func `sound whose process is unknown is muted while a rule exists`(property: String) async throws {
        try await withServer { peers, server in
            try await play(440, as: "Open", on: server, in: peers)
            // In a container a process has other identifiers than outside, so the identifier names another process
            // here.
            try await PaintedScreen.start(
                ["tone", "--frequency", "1000"], pulse: server,
                environment: ["PULSE_PROP_OVERRIDE": "application.name=Boxed \(property)"], in: peers)
            let windows = HiddenWindowRules()
            windows.apply(revision: windows.revision, processes: [], matches: [:])
            let recording = try Recording([PulseRequest(track: .app, mutedWindows: windows)])
            try await recording.run("both sounds") {
                recording.pieces.suffix(10).contains { $0.sound.samples.contains { abs($0) > 0.4 } }
            }

            windows.hide(.windowClass("Secret"))
            windows.apply(revision: windows.revision, processes: [], matches: [:])
            try await expectOnly(440, without: 1000, in: recording)
        }
    }

    @Test func `an application is silent until it plays, and again after it stops`() async throws {
        try await withServer(sinks: [.init("app"), .init("other")]) { peers, server in
            try await play(1000, as: "Other", on: server, in: peers)
            let recording = try Recording([PulseRequest(track: .app, sourceName: "app:Firefox")])
            try await recording.run("word that there is none") {
                recording.events == [.interrupted(.app, .applicationSilent("Firefox"))]
            }
            for round in 1...2 {
                let player = try await play(440, as: "Firefox", on: server, in: peers)
                try await recording.run("its sound") { recording.loudFrames > 9600 }
                #expect(recording.events.filter { $0 == .started(.app, source: "app:Firefox") }.count == round)
                if round == 2 {
                    let inputs = try await server.control(["list", "short", "sink-inputs"]).split(separator: "\n")
                    let newest = try #require(inputs.last?.split(separator: "\t").first)
                    try await server.control(["move-sink-input", String(newest), "other"])
                    recording.pieces.removeAll()
                    try await recording.run("its sound on the other sink") { recording.loudFrames > 9600 }
                }
                try await player.terminate()
                try await recording.run("its end") {
                    recording.events.filter { $0 == .interrupted(.app, .applicationSilent("Firefox")) }.count == round
                        + 1
                }
                recording.pieces.removeAll()
            }
            #expect(recording.pieces.isEmpty)
        }
    }

    // MARK: Loss

    @Test func `after a server restart, recording continues, and the loss is reported once`() async throws {
        try await withServer { peers, server in
            try await PaintedScreen.start(["tone"], pulse: server, in: peers)
            let recording = try Recording([PulseRequest(track: .app)])
            try await recording.run("sound") { recording.loudFrames > 4800 }
            try await server.kill()
            try await recording.run("the loss") { recording.events.contains { $0.isServerUnavailable } }
            let lost = recording.clock.now
            // Two more attempts fail in the meantime.
            try await recording.run("three seconds") { recording.clock.now > lost + MediaTime(milliseconds: 2500) }
            #expect(recording.events.filter { $0.isServerUnavailable }.count == 1)
            recording.pieces.removeAll()
            try await server.restart()
            try await recording.run("sound again") { recording.loudFrames > 4800 }
            #expect(recording.events.filter { $0 == .started(.app, source: "app.monitor") }.count == 2)
            #expect(recording.events.filter { $0.isServerUnavailable }.count == 1)
            #expect(recording.pieces.allSatisfy { $0.sample.presentationTime > lost })
        }
    }

    @Test func `a source that disappears is reported, and recorded again when it returns`() async throws {
        try await withServer(sinks: [.init("app"), .init("other")]) { peers, server in
            let recording = try Recording([
                PulseRequest(track: .app), PulseRequest(track: .mic, sourceName: "other.monitor"),
            ])
            try await recording.run("both") { recording.events.count == 2 }
            let modules = try await server.control(["list", "short", "modules"])
            let line = try #require(modules.split(separator: "\n").first { $0.contains("sink_name=other") })
            let module = String(try #require(line.split(separator: "\t").first))
            try await server.control(["unload-module", module])
            try await recording.run("its end") {
                recording.events.contains { if case .interrupted(.mic, _) = $0 { true } else { false } }
            }
            recording.pieces.removeAll()
            try await recording.run("the other's sound") { recording.frameCount > 48_000 }
            #expect(recording.pieces.allSatisfy { $0.sample.track == .app })
            try await server.control(["load-module", "module-null-sink", "sink_name=other"])
            try await recording.run("its return") {
                recording.events.filter { $0 == .started(.mic, source: "other.monitor") }.count == 2
            }
            #expect(!recording.events.contains { $0.isServerUnavailable })
        }
    }

    @Test func `without a source to record there is no connection, and a later source is recorded`() async throws {
        try await withServer { peers, server in
            try await PaintedScreen.start(["tone"], pulse: server, in: peers)
            func isClient() async throws -> Bool {
                try await server.control(["list", "clients"]).contains("application.name = \"broadcast\"")
            }
            let recording = try Recording([PulseRequest(track: .app)])
            try await recording.run("sound") { recording.loudFrames > 4800 }
            #expect(try await isClient() && recording.isConnected)
            recording.want([])
            #expect(!recording.isConnected)
            try await waitUntil("the end of the connection") { try await !isClient() }
            let count = recording.pieces.count
            for _ in 0..<4 { recording.iterate(MediaTime(milliseconds: 10)) }
            #expect(!recording.isConnected && recording.pieces.count == count)
            recording.pieces.removeAll()
            recording.want([PulseRequest(track: .app)])
            try await recording.run("sound again") { recording.loudFrames > 4800 }
            #expect(recording.events == [.started(.app, source: "app.monitor"), .started(.app, source: "app.monitor")])
        }
    }

    @Test func `a missing server is reported once, independent of the number of attempts`() async throws {
        try await PulseEnvironment.with(nil) {
            let recording = try Recording([PulseRequest(track: .app), PulseRequest(track: .mic)])
            try await recording.run("three attempts") { recording.clock.now.milliseconds > 2500 }
            #expect(recording.events.count == 1)
            #expect(recording.events.first?.isServerUnavailable == true)
            #expect(recording.pieces.isEmpty)
            #expect(PulseSourceList.fetch(timeout: 500) == nil)
        }
    }

    // MARK: Sources

    @Test func `the list of sources contains the monitors and marks the default`() async throws {
        try await withServer(sinks: [.init("app"), .init("other")]) { _, server in
            try await server.control(["set-default-sink", "app"])
            let sources = try #require(PulseSourceList.fetch())
            #expect(sources.map(\.name).sorted() == ["app.monitor", "other.monitor"])
            #expect(sources.filter { !$0.isMonitor }.isEmpty)
            #expect(sources.filter(\.isDefault).map(\.name).contains("app.monitor"))
        }
    }

    @Test func `the applications that play sound are listed once, with the name that selects them`() async throws {
        try await withServer { peers, server in
            #expect(PulseSourceList.inventory()?.applications == [])
            for name in ["Firefox", "Firefox", "Other"] { try await play(440, as: name, on: server, in: peers) }
            try await waitUntil("the applications") {
                PulseSourceList.inventory()?.applications.map(\.name).sorted() == ["Firefox", "Other"]
            }
        }
    }

    // MARK: Helpers

    /// Waits for the end of a sound, which comes when the sound server has answered, and expects that a second after it
    /// has only the other one.
    private func expectOnly(_ frequency: Double, without muted: Double, in recording: Recording) async throws {
        recording.pieces.removeAll()
        try await recording.run("a tenth of a second without \(muted) Hz") {
            guard recording.frameCount >= 4800 else { return false }
            defer { recording.pieces.removeAll() }
            return recording.leak(of: muted) < 0.01
        }
        try await recording.run("a second of the other sound") { recording.frameCount >= 48_000 }
        #expect(abs(recording.level(of: frequency) - 0.251) < 0.02)
        #expect(recording.leak(of: muted) < 0.01)
    }

    /// Starts a player of a constant tone with this application name.
    @discardableResult
    private func play(_ frequency: Int, as name: String, on server: PulseServer, in peers: Peers) async throws -> Peer {
        try await PaintedScreen.start(
            ["tone", "--frequency", "\(frequency)"], pulse: server,
            environment: ["PULSE_PROP_OVERRIDE": "application.name=\(name)"], in: peers)
    }
}

/// The times of sound from a real PulseAudio server.
struct PulseTimingTests {
    @Test func `the default sink's sound arrives, gapless, with times that keep up with the clock`() async throws {
        try await withServer { peers, server in
            try await PaintedScreen.start(["tone"], pulse: server, in: peers)
            let recording = try Recording([PulseRequest(track: .app)])
            try await recording.run("sound") { recording.loudFrames > 4800 }
            let faults = try await recording.faults { left in
                let risings = zip(left, left.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
                let frequency = Double(risings) / (Double(left.count) / 48_000)
                let peak = left.max() ?? 0
                return abs(frequency - TonePattern.frequency) < 5 && abs(peak - 0.251) < 0.01
                    ? nil : "\(frequency) Hz with a peak of \(peak)"
            }
            #expect(faults.last?.isEmpty == true, "\(faults)")
            #expect(recording.events == [.started(.app, source: "app.monitor")])
            #expect(recording.pieces.allSatisfy { $0.sample.track == .app && $0.sound.format == .broadcast })
        }
    }

    @Test func `the sum of an application's streams arrives, gapless, with times that keep up with the clock`()
        async throws
    {
        try await withServer { peers, server in
            for frequency in ["440", "2500"] {
                try await PaintedScreen.start(
                    ["tone", "--frequency", frequency], pulse: server,
                    environment: ["PULSE_PROP_OVERRIDE": "application.name=Firefox"], in: peers)
            }
            let recording = try Recording([PulseRequest(track: .app, sourceName: "app:firefox")])
            try await recording.run("both streams") {
                recording.pieces.suffix(10).contains { $0.sound.samples.contains { abs($0) > 0.4 } }
            }
            let faults = try await recording.faults(largestGap: 0.01) { left in
                (left.max() ?? 0) > 0.4 ? nil : "one stream only"
            }
            #expect(faults.last?.isEmpty == true, "\(faults)")
        }
    }

    @Test func `a beep has the time at which it was played`() async throws {
        try await withServer { peers, server in
            let screen = try await Xvfb.start(in: peers, width: 640, height: 480)
            try await PaintedScreen.start(["clock", "--beep"], on: screen.display, pulse: server, in: peers)
            let recording = try Recording([PulseRequest(track: .app)])
            try await recording.run("five seconds") { recording.frameCount >= 240_000 }
            var onsets: [Double] = []
            var quiet = 0
            for piece in recording.pieces {
                for frame in 0..<piece.sound.frameCount {
                    let isLoud = abs(piece.sound.samples[2 * frame]) > 0.1
                    // Half a second of quiet, then a beep, which starts at a whole second of CLOCK_MONOTONIC.
                    if isLoud && quiet > 24_000 {
                        let time =
                            Double(recording.clock.origin) / 1e9 + piece.sample.presentationTime.seconds + Double(frame)
                            / 48_000
                        onsets.append(time - time.rounded())
                    }
                    quiet = isLoud ? 0 : quiet + 1
                }
            }
            #expect(onsets.count >= 3)
            // The first piece may precede the server's first latency report.
            #expect(onsets.dropFirst().areInTime(within: 0.03), "\(onsets) s")
        }
    }

    @Test func `an iteration waits at most as long as requested`() async throws {
        try await withServer { _, _ in
            let recording = try Recording([PulseRequest(track: .app)])
            // One of them may last longer because the machine was busy.
            let lengths = (0..<20).map { _ in
                let before = recording.clock.now
                recording.iterate(MediaTime(milliseconds: 10))
                return (recording.clock.now - before).milliseconds
            }.sorted()
            #expect(lengths[10] < 100, "\(lengths) ms")
        }
    }
}

private func withServer(
    sinks: [PulseServer.NullSink] = [.init("app")], _ body: (Peers, PulseServer) async throws -> Void
) async throws {
    try await withPeers { peers in
        let server = try await PulseServer.start(in: peers, sinks: sinks)
        try await PulseEnvironment.with(server) { try await body(peers, server) }
    }
}

/// A recorder that the test runs, with its output.
private final class Recording {
    struct Piece {
        let sample: SampleBuffer
        let sound: Sound
        let arrival: MediaTime
    }

    let clock = SessionClock()
    var pieces: [Piece] = []
    private(set) var events: [PulseEvent] = []
    private var recorder: PulseRecorder?

    init(_ requests: [PulseRequest]) throws {
        recorder = PulseRecorder(
            requests: requests, clock: clock,
            deliver: { [unowned self] sample in
                guard case .sound(let sound) = sample.payload else { return }
                pieces.append(Piece(sample: sample, sound: sound, arrival: clock.now))
            }, report: { [unowned self] in events.append($0) })
        _ = try #require(recorder)
    }

    deinit {
        recorder = nil
    }

    var isConnected: Bool { recorder?.isConnected ?? false }

    func want(_ requests: [PulseRequest]) { recorder?.want(requests) }

    var frameCount: Int { pieces.reduce(0) { $0 + $1.sound.frameCount } }

    /// The number of frames of the application's track in pieces that are not silent.
    var loudFrames: Int {
        pieces.filter { $0.sample.track == .app && $0.sound.samples.contains { abs($0) > 0.1 } }.reduce(0) {
            $0 + $1.sound.frameCount
        }
    }

    /// The amplitude of a tone of that frequency in Hz in all that was recorded: the median of the pieces. A player
    /// that was late once leaves out a piece, and the others have the amplitude of the tone.
    func level(of frequency: Double) -> Double {
        let levels = levels(of: frequency).sorted()
        return levels.isEmpty ? 0 : levels[levels.count / 2]
    }

    /// The amplitude of a tone that must not be recorded: the mean of the pieces, so that no piece with the tone is
    /// left out.
    func leak(of frequency: Double) -> Double {
        let levels = levels(of: frequency)
        return levels.isEmpty ? .infinity : levels.reduce(0, +) / Double(levels.count)
    }

    /// The amplitudes of a tone on the left in pieces of 40 ms. Over a longer time, a player that was late once would
    /// change the phase and with it the sum.
    private func levels(of frequency: Double) -> [Double] {
        let left = pieces.flatMap { piece in
            stride(from: 0, to: piece.sound.samples.count, by: 2).map { piece.sound.samples[$0] }
        }
        return ToneMeter(frequency, rate: 48_000).amplitudes(in: left)
    }

    /// Records two seconds, and again, at most three times, until they have no fault: a machine that stops the player
    /// or the sound server for a moment makes one. Returns the faults of each time.
    ///
    /// - Parameters:
    ///   - largestGap: the largest gap or overlap of two pieces, in seconds.
    ///   - content: the fault of the left samples.
    nonisolated(nonsending) func faults(largestGap: Double = 0.03, content: ([Float]) -> String?) async throws
        -> [[String]]
    {
        var all: [[String]] = []
        while all.count < 3 && all.last?.isEmpty != true {
            pieces.removeAll()
            try await run("two seconds") { frameCount >= 96_000 }
            let samples = pieces.flatMap { $0.sound.samples }
            let wrong = content(stride(from: 0, to: samples.count, by: 2).map { samples[$0] })
            all.append(timeFaults(largestGap: largestGap) + [wrong].compactMap { $0 })
        }
        return all
    }

    /// What is wrong with the times of the pieces.
    private func timeFaults(largestGap: Double) -> [String] {
        guard let first = pieces.first, let last = pieces.last else { return ["nothing was recorded"] }
        // Each piece starts at the end of the previous one. The latency that the server reports varies by some
        // milliseconds.
        var faults = zip(pieces, pieces.dropFirst()).map { one, next in
            next.sample.presentationTime.seconds - one.sample.presentationTime.seconds - Double(one.sound.frameCount)
                / 48_000
        }.filter { abs($0) >= largestGap }.map { "a gap of \($0) s" }
        let frames = frameCount - last.sound.frameCount
        let span = last.sample.presentationTime.seconds - first.sample.presentationTime.seconds
        if abs(span - Double(frames) / 48_000) >= 0.03 { faults.append("\(frames) frames in \(span) s") }
        // Sound is delivered shortly after it was played, never long before.
        let ages = pieces.map { $0.arrival.seconds - $0.sample.presentationTime.seconds }
        return faults + ages.filter { $0 <= -0.1 || $0 >= 0.3 }.map { "\($0) s old" }
    }

    func iterate(_ timeout: MediaTime) {
        recorder?.iterate(timeout: timeout)
    }

    /// Runs the recorder until the condition is true.
    nonisolated(nonsending) func run(_ what: String, _ condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        repeat {
            guard ContinuousClock.now < end else { throw PeerError.deadline(what, context: "\(events)") }
            // Waits by itself.
            iterate(MediaTime(milliseconds: 10))
        } while try !condition()
    }
}

extension PulseEvent {
    fileprivate var isServerUnavailable: Bool {
        if case .serverUnavailable = self { true } else { false }
    }
}
