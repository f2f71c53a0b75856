import Bus
import Capture
import Glibc
import Media

/// The stream that the portal shares (org.freedesktop.portal.ScreenCast, Start).
struct PortalStream: Codable, Sendable {
    /// Its node in PipeWire, and its object serial, or 0 if the portal does not report it.
    var node: UInt32
    var serial: UInt64
    /// What the desktop calls the shared thing (`mapping_id`). On Hyprland it is the name of the monitor (`DP-1`),
    /// elsewhere a random text. Nil if the portal does not report it.
    var mapping: String?
}

/// What the portal shares after the user has chosen.
struct PortalGrant: Sendable {
    var stream: PortalStream
    /// The connection to PipeWire.
    var remote: BusDescriptor
    /// What can be shared again without a dialog; nil if the user or the portal does not allow it.
    var remembered: RememberedChoice?
}

/// The calls to org.freedesktop.portal.ScreenCast that lead to a stream (XDG Desktop Portal, versions 1 to 6).
///
/// The portal's session lives as long as the connection to the bus. Use it on the thread of the connection.
struct PortalCalls {
    /// The waits of one dialogue.
    struct Limits {
        /// For an answer of the portal, which the bus may have to start first.
        var answer = Duration.seconds(25)
        /// For the choice if no user is there.
        var unattended = Duration.seconds(10)
        /// Until it is clear that a remembered choice needs a dialog after all.
        var remembered = Duration.seconds(1)
    }

    static let portal = BusObject(service: "org.freedesktop.portal.Desktop", path: "/org/freedesktop/portal/desktop")
    static let screenCast = "org.freedesktop.portal.ScreenCast"
    static let requests = "org.freedesktop.portal.Request"
    private static let sessions = "org.freedesktop.portal.Session"

    /// Bits of AvailableSourceTypes, and values of source_type.
    static func sourceType(_ choice: PortalChoice) -> UInt32 { choice == .monitor ? 1 : 2 }
    /// Bits of AvailableCursorModes.
    private enum CursorMode {
        static let hidden: UInt32 = 1
        static let embedded: UInt32 = 2
        static let metadata: UInt32 = 4
    }

    /// The application's identifier, which is also the name of its desktop entry.
    static let application = "org.broadcast.Broadcast"

    let bus: BusConnection
    let request: PortalQuestion
    let opening: SourceOpening
    /// Becomes readable when the dialogue must end.
    let stop: Int32
    var limits = Limits()

    private var session = ""
    private var version: UInt32 = 0
    private var cursorModes: UInt32 = 0
    var requestCount = 0
    /// The portal's own name on the bus (`:1.42`). Only its signals count: any program can send one to this connection.
    var owner = ""

    init(bus: BusConnection, request: PortalQuestion, opening: SourceOpening, stop: Int32) {
        self.bus = bus
        self.request = request
        self.opening = opening
        self.stop = stop
    }

    /// Registers the application, and begins a session of the portal.
    ///
    /// The portal looks into /proc/PID at the first method that a connection calls, to find out whether its caller is
    /// sandboxed, and keeps what it found as long as the connection exists (xdg-desktop-portal, xdp-app-info.c). After
    /// this method, that has happened.
    mutating func prepare() throws(PortalProblem) {
        subscribe()
        try register()
        cursorModes = try examine()
        try createSession()
    }

    /// Asks the portal, which asks the user unless `token` restores an earlier choice. Returns when the user has
    /// chosen. Call it once, after `prepare`.
    ///
    /// - Parameter refused: called if the portal does not accept `token`.
    mutating func choose(token: String?, refused: () -> Void) throws(PortalProblem) -> PortalGrant {
        let usable = version >= 4 ? token : nil
        if usable == nil && !request.isAttended { throw .notRemembered(request.choice) }
        do throws(PortalProblem) {
            try selectSources(token: usable)
        } catch .refused where usable != nil {
            // A portal answers a malformed token with an error, and its session is then unusable.
            refused()
            closeSession()
            guard request.isAttended else { throw .notRemembered(request.choice) }
            try createSession()
            try selectSources(token: nil)
            return try start(isRemembered: false, refused: {})
        }
        return try start(isRemembered: usable != nil, refused: refused)
    }

    /// Returns true if the message reports that the desktop ended the session.
    func isEnd(_ message: BusMessage) -> Bool {
        message.isSignal && message.interface == Self.sessions && message.member == "Closed" && message.path == session
            && message.sender == owner
    }

    /// Ends the session.
    func closeSession() {
        guard !session.isEmpty else { return }
        _ = bus.call(BusObject(service: Self.portal.service, path: session), Self.sessions, "Close")
    }

    // MARK: Steps

    /// Subscribes before the first call, so that no answer is missed.
    private func subscribe() {
        let sender = "type='signal',sender='\(Self.portal.service)'"
        bus.subscribe("\(sender),interface='\(Self.requests)',member='Response'")
        bus.subscribe("\(sender),interface='\(Self.sessions)',member='Closed'")
        bus.subscribe(
            "type='signal',sender='\(BusObject.bus.service)',member='NameOwnerChanged',arg0='\(Self.portal.service)'")
    }

    /// Tells the portal which application this is, so that its dialog names it. Portals before version 1.21 have no
    /// such interface, and a portal refuses a name without a desktop entry.
    private func register() throws(PortalProblem) {
        do throws(BusError) {
            _ = try bus.request(
                Self.portal, "org.freedesktop.host.portal.Registry", "Register",
                [.string(Self.application), .properties([:])],
                startsService: true, within: limits.answer)
        } catch .refused {
            // The next call says if there is no portal at all.
        } catch {
            throw error.problem
        }
    }

    /// Finds out what the portal can do. Returns its cursor modes, or 0 if it has none.
    private mutating func examine() throws(PortalProblem) -> UInt32 {
        version = try property("version")
        let types = try property("AvailableSourceTypes")
        // A portal whose backend is missing or dead offers nothing.
        guard types != 0 else { throw .noBackend }
        guard types & Self.sourceType(request.choice) != 0 else { throw .cannotShare(request.choice) }
        return version >= 2 ? try property("AvailableCursorModes") : 0
    }

    private func property(_ name: String) throws(PortalProblem) -> UInt32 {
        try PortalProperties(bus: bus, answerLimit: limits.answer).number(name, of: Self.screenCast)
    }

    private mutating func createSession() throws(PortalProblem) {
        let results = try respond("CreateSession") {
            [.properties(["handle_token": .string($0), "session_handle_token": .string($0)])]
        }
        // The path is a string by an old mistake of the interface.
        guard let handle = results["session_handle"]?.string else { throw .refused("") }
        session = handle
    }

    private mutating func selectSources(token: String?) throws(PortalProblem) {
        var options: [String: BusValue] = [
            "types": .unsigned(Self.sourceType(request.choice)), "multiple": .boolean(false),
        ]
        if let mode = cursorMode(among: cursorModes) { options["cursor_mode"] = .unsigned(mode) }
        // A remembered window can be another window with a similar title, so only monitors are remembered.
        if version >= 4 && request.choice == .monitor {
            options["persist_mode"] = .unsigned(2)
            if let token { options["restore_token"] = .string(token) }
        }
        let session = session
        _ = try respond("SelectSources") {
            [.objectPath(session), .properties(options.merging(["handle_token": .string($0)]) { $1 })]
        }
    }

    /// Returns nil for the portal's default, a hidden cursor.
    private func cursorMode(among modes: UInt32) -> UInt32? {
        let wanted = request.showsCursor ? [CursorMode.metadata, CursorMode.embedded] : [CursorMode.hidden]
        return wanted.first { modes & $0 != 0 }
    }

    private mutating func start(isRemembered: Bool, refused: () -> Void) throws(PortalProblem) -> PortalGrant {
        if !isRemembered { opening.notify(.chooseInDialog) }
        let session = session
        let results: [String: BusValue]
        do throws(PortalProblem) {
            results = try respond(
                "Start", limit: request.isAttended ? nil : limits.unattended,
                later: isRemembered && request.isAttended ? { [opening] in opening.notify(.chooseInDialog) } : nil
            ) { [.objectPath(session), .string(""), .properties(["handle_token": .string($0)])] }
        } catch .cancelled where isRemembered && !opening.isCancelled() {
            // There was a dialog, so the portal did not accept the token.
            refused()
            throw request.isAttended ? .cancelled : .notRemembered(request.choice)
        } catch .noAnswer where !request.isAttended {
            // Either there is a dialog, or the desktop is busy. The token is kept, because it may still be right.
            throw .notRemembered(request.choice)
        }
        guard let stream = results["streams"]?.elements?.first?.elements, stream.count == 2,
            let node = stream[0].unsigned,
            let description = stream[1].properties
        else { throw .refused("") }
        try check(description["source_type"]?.unsigned)
        let remote = try openRemote()
        let shared = PortalStream(
            node: node, serial: version >= 6 ? description["pipewire-serial"]?.unsigned64 ?? 0 : 0,
            mapping: description["mapping_id"]?.string)
        return PortalGrant(
            stream: shared, remote: remote,
            remembered: Self.remembered(results, description, isMonitor: request.choice == .monitor))
    }

    /// Throws if the desktop shares something else than was asked for. If there are rules for hidden windows, it must
    /// say that it shares a window.
    private func check(_ type: UInt32?) throws(PortalProblem) {
        if let type, type != Self.sourceType(request.choice) { throw .otherChoice }
        if type == nil, request.hidesWindows { throw .cannotHide }
    }

    private static func remembered(
        _ results: [String: BusValue], _ description: [String: BusValue], isMonitor: Bool
    ) -> RememberedChoice? {
        guard isMonitor, let token = results["restore_token"]?.string, !token.isEmpty else { return nil }
        func pair(_ key: String) -> (Int, Int)? {
            guard let values = description[key]?.elements, values.count == 2, case .integer(let first) = values[0],
                case .integer(let second) = values[1]
            else { return nil }
            return (Int(first), Int(second))
        }
        var choice = RememberedChoice(token: token)
        if let (width, height) = pair("size") { (choice.width, choice.height) = (width, height) }
        if let (x, y) = pair("position") { (choice.x, choice.y) = (x, y) }
        return choice
    }

    private func openRemote() throws(PortalProblem) -> BusDescriptor {
        let reply: BusMessage
        do throws(BusError) {
            reply = try bus.request(
                Self.portal, Self.screenCast, "OpenPipeWireRemote", [.objectPath(session), .properties([:])],
                within: limits.answer)
        } catch {
            throw error.problem
        }
        guard let remote = reply.arguments.first?.descriptor else { throw .refused("") }
        return remote
    }
}
