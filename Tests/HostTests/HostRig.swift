import Concurrency
import Control
import Foundation
import Host
import SessionFakes
import Synchronization
import TestSupport
import Upload

/// Phrases that name the data that they are made of.
struct TestPhrases: HostPhrases {
    func report(_ error: HostError) -> ErrorReport {
        ErrorReport(code: error.code, message: "sentence of \(error)", status: 42)
    }
    func report(_ error: UploadError, of destination: String, isRetried: Bool) -> ErrorReport {
        report(.destination(name: destination, error))
    }
    func sentence(_ notice: HostNotice) -> String { "sentence of \(notice)" }
    func logLine(_ event: HostEvent, session: String) -> String? {
        switch event {
        case .state(let state): "\(session) is \(state.rawValue)"
        case .comment(let comment, let name): "\(name): \(comment)"
        case .notice(let notice): sentence(notice)
        case .changed(let change): "\(change)"
        case .exposed, .started, .destination, .annotation, .clip, .statistics: nil
        }
    }
    func logLines(_ outcome: HostOutcome) -> [String] { [] }
}

/// A host of a session with the source and the destinations of the test, and a socket and a log in a folder of the
/// test.
final class HostRig: Sendable {
    let host: SessionHost
    let running: RunningSession
    let folder: String
    let stage: Stage
    let viewer: FakeViewer
    /// What `resolve` gives, by what the user calls it.
    private let plans: Shared<[String: DestinationPlan]>
    private let questions: Shared<[String]>

    /// - Parameters:
    ///   - prepare: runs before the session is made, on the thread that may block.
    ///   - change: changes the session before it is made.
    init(
        in peers: Peers, name: String = "main", folder: String? = nil, stage: Stage = Stage(),
        viewer: FakeViewer = FakeViewer(),
        onNameTaken: @escaping @Sendable () -> Void = {},
        prepare: @escaping @Sendable (HostPreparation) throws(HostError) -> Void = { (_) throws(HostError) in },
        change: @escaping @Sendable (inout PreparedSession) -> Void = { _ in }
    ) throws {
        let folder = try folder ?? peers.makeFolder("host")
        self.folder = folder
        self.stage = stage
        self.viewer = viewer
        let known = Shared<[String: DestinationPlan]>([:])
        let asked = Shared<[String]>([])
        plans = known
        questions = asked
        var options = HostOptions(name: name, phrases: TestPhrases())
        options.title = "A talk"
        options.socket = "\(folder)/\(name).sock"
        options.claimPath = { "\(folder)/\($0).address" }
        options.log = "\(folder)/state/\(name).log"
        options.onNameTaken = onNameTaken
        host = SessionHost(
            options: options,
            prepare: { (preparation) throws(HostError) in
                try prepare(preparation)
                var session = PreparedSession(
                    configuration: .silent(stage), destinations: [viewer.livePlan()],
                    watchURLs: [viewer.name: "https://example.org/watch"])
                change(&session)
                return session
            },
            resolve: { (target, folder, _) throws(HostError) in
                asked.update { $0.append("\(target) in \(folder ?? "nil")") }
                guard let plan = known.value[target] else {
                    throw .destination(name: target, .connectionLost(status: "unknown"))
                }
                return plan
            })
        running = RunningSession(name: name, socket: "\(folder)/\(name).sock")
    }

    /// From now on `target` leads to `plan`.
    func define(_ target: String, _ plan: DestinationPlan) { plans.update { $0[target] = plan } }
    /// What `resolve` was asked for.
    var resolved: [String] { questions.value }
    var log: String { (try? String(contentsOfFile: "\(folder)/state/\(running.name).log", encoding: .utf8)) ?? "" }

    /// The answer of the running session.
    func ask(_ request: ControlRequest) async throws -> ControlReply {
        guard let reply = try await running.ask(request) else {
            throw PeerError.answer("no session runs at \(running.socket)")
        }
        return reply
    }

    /// The answer of the running session to any line.
    func ask(line: String) async throws -> ControlReply {
        let answer = try await ControlSocket.ask(line, at: running.socket)
        guard let answer, let reply = ControlJSON.decode(ControlReply.self, from: answer.utf8) else {
            throw PeerError.answer("\(running.socket) answered \(answer ?? "nothing")")
        }
        return reply
    }

    /// Waits until viewers got some pictures.
    func waitForFrames() async throws {
        let before = viewer.video.count
        try await waitUntil("frames") { viewer.video.count >= before + 5 }
    }
}

/// A value that threads share.
final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value { state.withLock { $0 } }
    func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}

/// A door for a thread that may block.
final class Gate: Sendable {
    private let state = Monitor((isOpen: false, isReached: false))
    var isReached: Bool { state.withLock { $0.isReached } }
    func open() { state.update { $0.isOpen = true } }
    /// Blocks until it is open.
    func pass() {
        state.update { $0.isReached = true }
        _ = state.wait(until: nil) { $0.isOpen ? true : nil }
    }
}
