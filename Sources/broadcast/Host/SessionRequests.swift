import Capture
import Control
import Media
import Session
import Upload

/// What is asked of a session that runs, over its control socket, and what it answers.
struct SessionRequests {
    let session: BroadcastSession
    /// What it is like now.
    let report: () -> SessionReport
    /// Makes a destination of what a user calls it, and of the folder that relative paths start from.
    let makePlan: (String, String?) async throws(CommandError) -> DestinationPlan

    func answer(_ request: ControlRequest) async -> ControlReply {
        switch request.command {
        case "status": return ControlReply(session: report())
        case "pause":
            return session.pause() ? ControlReply(session: report()) : .refusal(409, "The session is not live, so it can't be paused.")
        case "resume": return session.resume() ? ControlReply(session: report()) : .refusal(409, "The session is not paused.")
        case "mic": return setMicrophone(request.value)
        case "clip": return await saveClip(request)
        case "add-destination": return await add(request)
        case "remove-destination": return await remove(request)
        case "hide", "unhide": return await changeHiddenWindows(request)
        case "retry": return ControlReply(retried: session.retry(request.destination))
        case "annotate":
            guard let values = request.values, !values.isEmpty else { return .refusal(400, "There is nothing to annotate with.") }
            session.annotate(values)
            return ControlReply(session: report())
        default: return .refusal(404, "There is no command \"\(request.command)\".")
        }
    }

    private func setMicrophone(_ value: String?) -> ControlReply {
        let choices: [String: (Bool) -> Bool] = ["on": { _ in true }, "off": { _ in false }, "toggle": { !$0 }]
        guard let choose = value.flatMap({ choices[$0] }) else { return .refusal(400, "The microphone can be on, off or toggle.") }
        guard let isOn = session.setMicrophone(choose) else {
            return .refusal(409, "The session was started without sound, so it has no microphone. Start it with --mic.")
        }
        return ControlReply(session: report(), microphone: isOn)
    }

    private func saveClip(_ request: ControlRequest) async -> ControlReply {
        guard let path = request.path, path.hasPrefix("/") else { return .refusal(400, "A clip needs an absolute path.") }
        let span = request.last.flatMap { $0.isFinite && $0 > 0 && $0 < 1e6 ? MediaTime(seconds: $0) : nil } ?? MediaTime(milliseconds: 30_000)
        do throws(UploadError) {
            guard let clip = try await session.saveClip(last: span, to: path) else {
                return .refusal(409, "The session keeps nothing for clips. Start it with --clip-buffer 60s, or with --to clips.")
            }
            return ControlReply(clip: ClipReport(clip))
        } catch {
            return ControlReply(error: ErrorReport(code: error.code, message: error.description, status: CommandError(error).status.rawValue))
        }
    }

    private func add(_ request: ControlRequest) async -> ControlReply {
        guard let target = request.destination, !target.isEmpty else { return .refusal(400, "Say which destination is to be added.") }
        var plan: DestinationPlan
        do throws(CommandError) {
            plan = try await makePlan(target, request.folder)
        } catch {
            return ControlReply(error: ErrorReport(code: 400, message: error.message, status: error.status.rawValue))
        }
        // What has no name of its own, an address or a file, gets one that is free.
        let taken = session.snapshot().destinations.filter { !$0.state.isOver }.map(\.name)
        if plan.name != target, taken.contains(plan.name) {
            plan.name += (2...).lazy.map { "-\($0)" }.first { [name = plan.name] in !taken.contains(name + $0) } ?? ""
        }
        if plan.extensionName == "stdout" { return .refusal(400, "Standard output can only be given at the start.") }
        do throws(SessionError) {
            try await session.add(plan)
        } catch {
            return ControlReply(error: ErrorReport(code: 409, message: error.description, status: CommandError(error).status.rawValue))
        }
        return await outcome(of: plan.name)
    }

    /// Waits until a new destination works, or does not: whoever asked for it wants to know more than that it was begun.
    private func outcome(of name: String) async -> ControlReply {
        while let destination = session.snapshot().destinations.first(where: { $0.name == name }) {
            switch (destination.state, destination.error) {
            case (.connecting, _): break
            case (.reconnecting, let error?):
                // It stays, but whoever asked need not wait as long as that may take.
                let sentence = "\(error) It stays, and is tried again; broadcast remove-destination \(name) ends that."
                return ControlReply(error: ErrorReport(code: error.code, message: sentence, status: CommandError(error).status.rawValue))
            case (.failed, let error?):
                return ControlReply(error: ErrorReport(code: error.code, message: error.description, status: CommandError(error).status.rawValue))
            default: return ControlReply(destination: DestinationReport(destination))
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return .refusal(409, "\(name) was removed, or the session has ended.")
    }

    private func changeHiddenWindows(_ request: ControlRequest) async -> ControlReply {
        let rule: HiddenWindowRule
        do throws(HiddenWindowRule.ParseError) {
            rule = try HiddenWindowRule(request.value ?? "")
        } catch {
            return .refusal(400, error.description)
        }
        let hides = request.command == "hide"
        switch await session.changeHiddenWindows({ hides ? $0.hide(rule) : $0.unhide(rule) }) {
        case nil: return .refusal(409, "This session does not show a screen, so there is no window to hide.")
        case true?: return ControlReply(session: report())
        case false?:
            return .refusal(409, hides ? "\(rule) is hidden already." : "Nothing hides \(rule) but what the window says itself.")
        }
    }

    private func remove(_ request: ControlRequest) async -> ControlReply {
        let name = request.destination ?? ""
        do throws(SessionError) {
            if let ended = try await session.remove(named: name) { return ControlReply(destination: DestinationReport(ended)) }
            let known = session.snapshot().destinations.filter { !$0.state.isOver }.map(\.name).joined(separator: ", ")
            return .refusal(404, "There is no destination \"\(name)\" in this session. It has \(known).")
        } catch .onlyDestination(let name) {
            return .refusal(ErrorReport.onlyDestination, SessionError.onlyDestination(name).description)
        } catch {
            return .refusal(409, error.description)
        }
    }
}

extension ControlReply {
    /// It is not done.
    static func refusal(_ code: Int, _ message: String) -> ControlReply {
        ControlReply(error: ErrorReport(code: code, message: message))
    }
}
