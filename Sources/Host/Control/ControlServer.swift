import Glibc
import NIOCore
import NIOPosix
import NetworkSupport
import Processes
import Synchronization

/// The control socket of a session. It answers requests of the session's owner; requests and answers are one line of
/// JSON each.
///
/// If the socket or its folder is removed, it listens there again, or at the next of its paths.
package final class ControlServer: Sendable {
    /// The reason why the socket is not available.
    package enum Failure: Error, Equatable {
        /// Another session with this name runs.
        case inUse
        /// errno; ENAMETOOLONG if the path is longer than `maximumPath`.
        case cannotBind(code: Int32)

        init(_ failure: LockedFile.Failure) {
            self =
                switch failure {
                case .inUse: .inUse
                case .system(let error): .cannotBind(code: error.code)
                }
        }
    }

    /// The maximum length of a socket's path in bytes: `sun_path` without its final zero (unix(7)).
    package static let maximumPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Why a request is rejected before the session sees it.
    package enum Refusal: Error, Equatable, Sendable {
        /// The line is not a JSON object with a command.
        case notARequest
        /// This connection follows the events already.
        case followedAlready
        case tooManyFollowers(limit: Int)
    }

    /// Where a session listens.
    package struct Place: Sendable {
        /// The paths of the socket, in the order in which they are tried after the first one was removed.
        package var paths: [String]
        /// The path of the file that tells clients where the socket is; nil if the session has no such file.
        package var registration: String?

        package init(path: String, otherwise: [String] = [], registration: String? = nil) {
            paths = [path] + otherwise.filter { $0 != path }
            self.registration = registration
        }
    }

    /// A socket that listens.
    private struct Binding: Sendable {
        var channel: any Channel
        var path: String
        var identity: FileIdentity?
        var lock: LockedFile
    }

    private struct State: Sendable {
        /// Nil after the end.
        var binding: Binding?
        var registration: SessionRegistration?
    }

    private let place: Place
    private let group: MultiThreadedEventLoopGroup
    private let answers: PendingAnswers
    private let state: Mutex<State>
    private let makeConnection: @Sendable () -> ControlConnection
    private let watch = Mutex<Task<Void, Never>?>(nil)

    /// How often the server checks that its socket is there.
    private static let checkInterval = Duration.seconds(2)

    private init(
        place: Place, group: MultiThreadedEventLoopGroup, binding: Binding, registration: SessionRegistration?,
        answers: PendingAnswers,
        makeConnection: @escaping @Sendable () -> ControlConnection
    ) {
        self.place = place
        self.group = group
        self.answers = answers
        self.makeConnection = makeConnection
        state = Mutex(State(binding: binding, registration: registration))
    }

    /// Acquires the session's name and listens at `path`, in a folder that only its owner can access.
    package static func listen(
        at path: String, events: @escaping @Sendable () -> AsyncStream<EventReport>,
        refusal: @escaping @Sendable (Refusal) -> ErrorReport,
        answer: @escaping @Sendable (Result<ControlRequest, InvalidRequest>) async -> ControlReply
    ) async throws(Failure) -> ControlServer {
        try await listen(at: Place(path: path), events: events, refusal: refusal, answer: answer)
    }

    /// Acquires the session's name and listens at the first path of `place`, in a folder that only its owner can
    /// access.
    ///
    /// A lock file next to the socket decides which process has the name. If two processes start at the same time, one
    /// of them acquires it. A socket that a killed session left behind is replaced.
    ///
    /// - Parameters:
    ///   - events: returns the events from now on, for a client that requests `events`.
    ///   - refusal: returns the report of a rejected request.
    ///   - answer: returns the answer to any other request, also to an invalid one. It can take long.
    package static func listen(
        at place: Place, events: @escaping @Sendable () -> AsyncStream<EventReport>,
        refusal: @escaping @Sendable (Refusal) -> ErrorReport,
        answer: @escaping @Sendable (Result<ControlRequest, InvalidRequest>) async -> ControlReply
    ) async throws(Failure) -> ControlServer {
        let path = place.paths[0]
        let registration = try register(place, socket: path)
        let lock = try Self.lock(path)
        let group = EventLoops.make()
        let answers = PendingAnswers()
        let followers = FollowerCount()
        let makeConnection = { @Sendable in
            ControlConnection(answers: answers, followers: followers, events: events, refusal: refusal, answer: answer)
        }
        do throws(Failure) {
            let binding = try await bind(path, lock, group, makeConnection)
            let server = ControlServer(
                place: place, group: group, binding: binding, registration: registration, answers: answers,
                makeConnection: makeConnection)
            server.startWatch()
            return server
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Acquires the name of the session whose socket is at `path`.
    private static func lock(_ path: String) throws(Failure) -> LockedFile {
        do throws(LockedFile.Failure) {
            return try LockedFile(path: path + ".lock", kind: .whole)
        } catch {
            throw Failure(error)
        }
    }

    /// The entry is left out if it cannot be written; clients then find only the first path.
    private static func register(_ place: Place, socket: String) throws(Failure) -> SessionRegistration? {
        guard let path = place.registration else { return nil }
        do throws(Failure) {
            return try SessionRegistration(path: path, socket: socket)
        } catch .inUse {
            throw .inUse
        } catch {
            return nil
        }
    }

    private static func bind(
        _ path: String, _ lock: LockedFile, _ group: MultiThreadedEventLoopGroup,
        _ makeConnection: @escaping @Sendable () -> ControlConnection
    ) async throws(Failure) -> Binding {
        guard path.utf8.count <= maximumPath else { throw .cannotBind(code: ENAMETOOLONG) }
        unlink(path)
        do {
            let channel = try await ServerBootstrap(group: group)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            ByteToMessageHandler(LineDecoder(limit: LineDecoder.maximumLength)))
                        try channel.pipeline.syncOperations.addHandler(makeConnection())
                    }
                }
                .bind(unixDomainSocketPath: path).get()
            chmod(path, 0o600)
            return Binding(channel: channel, path: path, identity: FileIdentity(at: path), lock: lock)
        } catch {
            throw .cannotBind(code: (error as? IOError)?.errnoCode ?? EIO)
        }
    }

    // MARK: A socket that was removed

    private func startWatch() {
        let task = Task { [weak self] in
            // At the session's end the wait is cancelled, and nothing is checked any more.
            while (try? await Task.sleep(for: Self.checkInterval)) != nil { await self?.check() }
        }
        watch.withLock { $0 = task }
    }

    /// Listens again if clients no longer reach the socket.
    private func check() async {
        guard let current = state.withLock({ $0.binding }), FileIdentity(at: current.path) != current.identity else {
            return
        }
        for path in place.paths {
            let lock: LockedFile
            if path == current.path && current.lock.isValid {
                lock = current.lock
            } else {
                guard PrivateFolder.make(PrivateFolder.containing(path)),
                    let acquired = try? Self.lock(path)
                else { continue }
                lock = acquired
            }
            // First: the channel deletes the file at its path when it closes. Connections that were accepted stay open.
            try? await current.channel.close()
            guard let binding = try? await Self.bind(path, lock, group, makeConnection) else { continue }
            let isWanted = state.withLock { state in
                guard state.binding != nil else { return false }
                state.binding = binding
                state.registration?.update(socket: path)
                return true
            }
            if !isWanted { try? await binding.channel.close() }
            return
        }
    }

    // MARK: End

    /// Stops listening, sends the pending answers, and releases the session's name.
    package func shutDown() async {
        let watching = watch.withLock { $0 }
        watching?.cancel()
        // A check that is not complete holds the lock of the name.
        await watching?.value
        // A client that does not read its events delays the end by at most two seconds.
        await withTaskGroup(of: Void.self) { group in
            let answers = self.answers
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                answers.giveUp()
            }
            await answers.drained()
            group.cancelAll()
        }
        let binding = state.withLock { state in
            defer { state.binding = nil }
            return state.binding
        }
        if let binding {
            try? await binding.channel.close()
            unlink(binding.path)
        }
        state.withLock { $0.registration = nil }
        try? await group.shutdownGracefully()
    }
}
