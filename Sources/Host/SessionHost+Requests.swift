import Concurrency
import Control
import Media
import Session
import Upload
import UserConfiguration
import WindowPrivacy

/// The requests on the control socket of a running session, and their replies.
extension SessionHost {
    func reply(to request: ControlRequest) async -> ControlReply {
        do throws(HostError) {
            if request.command == "stop" {
                requestStop()
                // A session that is stopped before it began has ended as requested.
                return ControlReply(session: await lastReport() ?? report(of: .finished))
            }
            guard let session else {
                if request.command == "status" { return ControlReply(session: report(of: .starting)) }
                throw .request(.starting)
            }
            return try await reply(to: request, session)
        } catch {
            return ControlReply(error: options.phrases.report(error))
        }
    }

    private func reply(to request: ControlRequest, _ session: BroadcastSession) async throws(HostError) -> ControlReply {
        switch request.command {
        case "status": break
        case "pause":
            guard session.pause() else { throw .request(session.state == .paused ? .alreadyPaused : .notLive) }
            guard await session.waitUntilHidden(isPause: true) == .done else { throw .request(.pauseNotShown) }
        case "resume": guard session.resume() else { throw .request(.notPaused) }
        case "mic":
            let isOn = try setMicrophone(request.value, session)
            report(.changed(.microphone(isOn: isOn)))
            return ControlReply(session: report(session.snapshot()), microphone: isOn)
        case "clip": return try await saveClip(request, session)
        case "add-destination": return try await add(request, session)
        case "remove-destination": return try await remove(request, session)
        case "hide", "unhide": try await changeHiddenWindows(request, session)
        case "retry": return ControlReply(retried: session.retry(request.destination))
        case "annotate":
            guard let values = request.values, !values.isEmpty else { throw .request(.nothingToAnnotate) }
            session.annotate(values)
            report(.changed(.annotated(values)))
        default: throw .request(.unknownCommand(request.command))
        }
        return ControlReply(session: report(session.snapshot()))
    }

    private func setMicrophone(_ value: String?, _ session: BroadcastSession) throws(HostError) -> Bool {
        let choices: [String: (Bool) -> Bool] = ["on": { _ in true }, "off": { _ in false }, "toggle": { !$0 }]
        guard let choose = value.flatMap({ choices[$0] }) else { throw .request(.notOnOffOrToggle) }
        guard let isOn = session.setMicrophone(choose) else { throw .request(.noSound) }
        return isOn
    }

    private func saveClip(_ request: ControlRequest, _ session: BroadcastSession) async throws(HostError) -> ControlReply {
        guard let path = request.path, path.hasPrefix("/") else { throw .request(.clipWithoutPath) }
        let span = request.last.flatMap { $0.isFinite && $0 > 0 && $0 < 1e6 ? MediaTime(seconds: $0) : nil } ?? MediaTime(milliseconds: 30_000)
        do throws(UploadError) {
            if let clip = try await session.saveClip(last: span, to: path) { return ControlReply(clip: ClipReport(clip)) }
        } catch {
            throw .destination(name: "clip", error)
        }
        throw .request(.keepsNoClips)
    }

    private func add(_ request: ControlRequest, _ session: BroadcastSession) async throws(HostError) -> ControlReply {
        guard let target = request.destination, !target.isEmpty else { throw .request(.noDestinationNamed) }
        let folder = request.folder
        var plan = try await onThread { [resolve] preparation throws(HostError) in try resolve(target, folder, preparation) }
        // An address or a file has no name, so it gets a free one.
        let others = session.snapshot().destinations.filter { !$0.state.isOver }
        if plan.name != target { plan.makeNameUnique { name in others.contains { $0.name == name } } }
        if plan.kind == .stdout { throw .request(.outputLater) }
        do throws(SessionError) {
            try await session.add(plan)
        } catch {
            throw .session(error)
        }
        // All pictures have the rate of the session's start.
        if let limit = plan.limits.frameRate, let rate = session.snapshot().video?.frameRate, rate > limit {
            report(.notice(.resolver(.limit(.frameRate(limit: limit, actual: rate), service: plan.name))))
        }
        guard let added = await session.waitUntilAnswered(plan.name) else { throw .request(.removedMeanwhile(plan.name)) }
        switch (added.state, added.error) {
        case (.reconnecting, let error?): throw .request(.notYetConnected(name: added.name, error))
        case (.failed, let error?):
            // The request failed, so it leaves nothing behind.
            session.forget(added.name)
            throw .destination(name: added.name, error)
        default: return ControlReply(destination: DestinationReport(added, phrases: options.phrases))
        }
    }

    private func remove(_ request: ControlRequest, _ session: BroadcastSession) async throws(HostError) -> ControlReply {
        let name = await destinationName(request, session)
        do throws(SessionError) {
            if let ended = try await session.remove(named: name) {
                report(.changed(.removed(destination: name)))
                return ControlReply(destination: DestinationReport(ended, phrases: options.phrases))
            }
        } catch .onlyDestination(let name) {
            throw .request(.onlyDestination(name))
        } catch {
            throw .session(error)
        }
        throw .request(.unknownDestination(name, known: session.snapshot().destinations.map(\.name)))
    }

    /// The name of the destination that a request is about. The request has its name, or the path of its file.
    private func destinationName(_ request: ControlRequest, _ session: BroadcastSession) async -> String {
        let text = request.destination ?? ""
        let destinations = session.snapshot().destinations
        guard !text.isEmpty, !destinations.contains(where: { $0.name == text }) else { return text }
        let path = text.hasPrefix("/") ? text : (request.folder ?? "") + "/" + text
        let files = destinations.compactMap { destination in destination.path.map { (name: destination.name, path: $0) } }
        // The system looks at the path, which can block as long as a disk does not answer.
        return await NamedThread.run(name: "file check") {
            let wanted = CanonicalPath.of(path)
            return files.last { CanonicalPath.of($0.path) == wanted }?.name ?? text
        }
    }

    private func changeHiddenWindows(_ request: ControlRequest, _ session: BroadcastSession) async throws(HostError) {
        let rule: HiddenWindowRule
        do throws(HiddenWindowRule.ParseError) {
            rule = try HiddenWindowRule(request.value ?? "")
        } catch {
            throw .request(.rule(error))
        }
        let hides = request.command == "hide"
        switch hides ? session.hide(rule) : session.unhide(rule) {
        case nil: throw .request(.notAScreen)
        case true?: report(.changed(hides ? .hidden(rule: "\(rule)") : .unhidden(rule: "\(rule)")))
        case false?: throw .request(hides ? .ruleExists("\(rule)") : .noSuchRule("\(rule)"))
        }
        guard hides else { return }
        switch await session.waitUntilHidden(isPause: false) {
        case .done: break
        case .covered: throw .request(.hiddenBySlate("\(rule)"))
        case .unknown: throw .request(.hidingNotShown("\(rule)"))
        }
    }
}
