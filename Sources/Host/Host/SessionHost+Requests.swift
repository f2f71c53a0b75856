import Concurrency
import Control
import Media
import Session
import Upload
import UserConfiguration
import WindowPrivacy

/// The requests on the control socket of a running session, and their replies.
extension SessionHost {
    /// Carries out a request of the user's own terminal, as if it came through the control socket.
    package func perform(_ request: ControlRequest) async -> ControlReply { await reply(to: .success(request)) }

    /// Pauses the session before it returns. Then calls `finished` when viewers see the slate, or if there is an error.
    ///
    /// - Returns: false if the session is not live.
    package nonisolated func pauseNow(_ finished: @escaping @Sendable (ControlReply) -> Void) -> Bool {
        guard let session, session.pause() else { return false }
        Task {
            do throws(HostError) {
                finished(try await reply(toPauseOf: session))
            } catch {
                finished(.error(options.phrases.report(error)))
            }
        }
        return true
    }

    /// Turns the microphone off, or on if it is off and may be turned on, before it returns.
    ///
    /// - Returns: nil if there is no sound.
    package nonisolated func switchMicrophone(mayTurnOn: Bool) -> (isOn: Bool, hasChanged: Bool)? {
        var wasOn = false
        let result = session?.setMicrophone { isOn in
            wasOn = isOn
            return !isOn && mayTurnOn
        }
        guard let isOn = result else { return nil }
        if isOn != wasOn { Task { await report(.changed(.microphone(isOn: isOn))) } }
        return (isOn, isOn != wasOn)
    }

    func reply(to request: Result<ControlRequest, InvalidRequest>) async -> ControlReply {
        do throws(HostError) {
            guard let session else { return try await replyWithoutSession(to: request) }
            switch request {
            case .success(let request): return try await reply(to: request, session)
            case .failure(let invalid): throw .request(RequestProblem(invalid))
            }
        } catch {
            return .error(options.phrases.report(error))
        }
    }

    /// The session is being prepared, or its preparation failed.
    private func replyWithoutSession(to request: Result<ControlRequest, InvalidRequest>) async throws(HostError)
        -> ControlReply
    {
        if request == .success(.stop) { return await stop() }
        if request == .success(.status) { return .session(report(of: .starting)) }
        throw .request(.starting)
    }

    private func reply(to request: ControlRequest, _ session: BroadcastSession) async throws(HostError) -> ControlReply
    {
        switch request {
        case .status: break
        case .stop: return await stop()
        case .pause:
            guard session.pause() else { throw .request(session.state == .paused ? .alreadyPaused : .notLive) }
            return try await reply(toPauseOf: session)
        case .resume: guard session.resume() else { throw .request(.notPaused) }
        case .microphone(let choice):
            return .microphone(isOn: try setMicrophone(choice, session), report(session.snapshot()))
        case .annotate(let values): annotate(values, session)
        case .clip(let last, let path): return try await saveClip(last: last, path: path, session)
        case .addDestination(let target, let folder): return try await add(target, folder: folder, session)
        case .removeDestination(let text, let folder): return try await remove(text, folder: folder, session)
        case .retry(let destination): return .retried(session.retry(destination))
        case .hide(let rule): try await hide(Self.rule(rule), session)
        case .unhide(let rule): try unhide(Self.rule(rule), session)
        // The server replies to it.
        case .events: throw .request(.unknownCommand(request.command.rawValue))
        }
        return .session(report(session.snapshot()))
    }

    private func stop() async -> ControlReply {
        requestStop()
        // A session that is stopped before it began has ended as requested.
        return .session(await lastReport() ?? report(of: .finished))
    }

    private func setMicrophone(_ choice: ControlRequest.MicrophoneChoice, _ session: BroadcastSession) throws(HostError)
        -> Bool
    {
        let isOn = session.setMicrophone { isOn in
            switch choice {
            case .on: true
            case .off: false
            case .toggle: !isOn
            }
        }
        guard let isOn else { throw .request(.noSound) }
        report(.changed(.microphone(isOn: isOn)))
        return isOn
    }

    /// Waits until viewers see the slate of a pause that has begun.
    private func reply(toPauseOf session: BroadcastSession) async throws(HostError) -> ControlReply {
        guard await session.waitUntilHidden(isPause: true) == .done else { throw .request(.pauseNotShown) }
        return .session(report(session.snapshot()))
    }

    private func saveClip(last: Double?, path: String, _ session: BroadcastSession) async throws(HostError)
        -> ControlReply
    {
        let span =
            last.flatMap { $0.isFinite && $0 > 0 && $0 < 1e6 ? MediaTime(seconds: $0) : nil }
            ?? MediaTime(milliseconds: 30_000)
        guard session.keepsClips else { throw .request(.keepsNoClips) }
        if let format = ContainerFormat(ending: path), format != .mp4 { throw .request(.clipIsMP4(path: path)) }
        if ContainerFormat.isOther(ending: path) { throw .request(.clipIsMP4(path: path)) }
        do throws(UploadError) {
            if let clip = try await session.saveClip(last: span, to: path) { return .clip(ClipReport(clip)) }
        } catch {
            throw .destination(name: "clip", error)
        }
        throw .request(.noClipYet)
    }

    private func add(_ target: String, folder: String?, _ session: BroadcastSession) async throws(HostError)
        -> ControlReply
    {
        var plan = try await onThread { [resolve, claims] preparation throws(HostError) in
            var plan = try resolve(target, folder, preparation)
            if plan.kind == .stdout { throw .request(.outputLater) }
            try claims.claim(&plan)
            return plan
        }
        // An address or a file has no name, so it gets a free one.
        let others = session.snapshot().destinations.filter { !$0.state.isOver }
        if plan.name != target { plan.makeNameUnique { name in others.contains { $0.name == name } } }
        do throws(SessionError) {
            try await session.add(plan)
        } catch {
            plan.whenOver()
            throw .session(error)
        }
        // All pictures have the rate of the session's start.
        if let limit = plan.limits.frameRate, let rate = session.snapshot().video?.frameRate, rate > limit {
            report(.notice(.resolver(.limit(.frameRate(limit: limit, actual: rate), service: plan.name))))
        }
        guard let added = await session.waitUntilAnswered(plan.name) else {
            throw .request(.removedMeanwhile(plan.name))
        }
        switch (added.state, added.error) {
        case (.reconnecting, let error?): throw .request(.notYetConnected(name: added.name, error))
        case (.failed, let error?):
            // The request failed, so it leaves nothing behind.
            session.withdraw(added.name)
            throw .destination(name: added.name, error)
        default: return .destination(DestinationReport(added, phrases: options.phrases))
        }
    }

    private func remove(_ text: String, folder: String?, _ session: BroadcastSession) async throws(HostError)
        -> ControlReply
    {
        let name = await destinationName(text, folder: folder, session)
        do throws(SessionError) {
            if let ended = try await session.remove(named: name) {
                report(.changed(.removed(destination: name)))
                return .destination(DestinationReport(ended, phrases: options.phrases))
            }
        } catch .onlyDestination(let name) {
            throw .request(.onlyDestination(name))
        } catch {
            throw .session(error)
        }
        let known = session.snapshot().destinations.filter { $0.state != .finished }
        throw .request(.unknownDestination(name, known: known.map(\.name)))
    }

    /// The name of the destination that a request is about.
    ///
    /// - Parameters:
    ///   - text: its name, or the path of its file.
    ///   - folder: the folder for a relative path.
    private func destinationName(_ text: String, folder: String?, _ session: BroadcastSession) async -> String {
        let destinations = session.snapshot().destinations
        guard !text.isEmpty, !destinations.contains(where: { $0.name == text }) else { return text }
        let path = text.hasPrefix("/") ? text : (folder ?? "") + "/" + text
        let files = destinations.compactMap { destination in destination.path.map { (name: destination.name, path: $0) }
        }
        // The system looks at the path, which can block as long as a disk does not answer.
        return await NamedThread.run(name: "file check") {
            let wanted = CanonicalPath.of(path)
            return files.last { CanonicalPath.of($0.path) == wanted }?.name ?? text
        }
    }

    private static func rule(_ text: String) throws(HostError) -> HiddenWindowRule {
        do throws(HiddenWindowRule.ParseError) {
            return try HiddenWindowRule(text)
        } catch {
            throw .request(.rule(error))
        }
    }

    private func hide(_ rule: HiddenWindowRule, _ session: BroadcastSession) async throws(HostError) {
        guard let isNew = session.hide(rule) else { throw .request(.notAScreen) }
        guard isNew else { throw .request(.ruleExists("\(rule)")) }
        // The rule may hide its window. The source reports the next application that comes to the front.
        application = nil
        report(.changed(.hidden(rule: "\(rule)")))
        switch await session.waitUntilHidden(isPause: false) {
        case .done: break
        case .covered: throw .request(.hiddenBySlate("\(rule)"))
        case .unknown: throw .request(.hidingNotShown("\(rule)"))
        }
    }

    private func unhide(_ rule: HiddenWindowRule, _ session: BroadcastSession) throws(HostError) {
        guard let wasHidden = session.unhide(rule) else { throw .request(.notAScreen) }
        guard wasHidden else { throw .request(.noSuchRule("\(rule)")) }
        report(.changed(.unhidden(rule: "\(rule)")))
    }
}
