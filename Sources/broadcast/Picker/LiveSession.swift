import Control
import Host
import Media
import PickerModel
import Presentation
import UserConfiguration

/// The session that the picker starts and stops, and the others that run, asked through their control sockets.
struct LiveSession {
    /// What was heard of all sessions.
    struct Report: Equatable {
        /// The picker's own; nil where it does not run.
        var live: PickerModel.Live?
        /// The others, in the order of their names.
        var others: [PickerModel.Other]
    }

    let name: String
    let paths: Paths

    /// What they do now.
    func fetch() async -> Report {
        let sessions = RunningSession.all(paths)
        var report = Report(live: nil, others: [])
        for (session, answer) in zip(sessions, await RunningSession.ask("status", sessions)) {
            guard let live = Self.live(answer) else { continue }
            if session.name == name { report.live = live } else { report.others.append(.init(name: session.name, live: live)) }
        }
        return report
    }

    func toggleMicrophone() async -> PickerModel.Live? {
        let answer: Result<ControlReply?, ControlClient.Failure>
        do throws(ControlClient.Failure) {
            answer = .success(try await ControlClient.ask(ControlRequest(command: "mic", value: "toggle"), at: paths.socket(session: name)))
        } catch {
            answer = .failure(error)
        }
        return Self.live(answer)
    }

    private static func live(_ answer: Result<ControlReply?, ControlClient.Failure>) -> PickerModel.Live? {
        guard case .success(let reply) = answer else {
            return PickerModel.Live(state: "not answering", clock: StatusLine.clock(.zero), destinations: [], isMicrophoneOn: nil)
        }
        guard let reply else { return nil }
        // It runs, though it can't tell yet what it does.
        guard let session = reply.session else {
            return PickerModel.Live(state: "starting", clock: StatusLine.clock(.zero), destinations: [], isMicrophoneOn: nil)
        }
        guard session.state != "finished", session.state != "failed" else { return nil }
        return PickerModel.Live(
            state: session.state, clock: StatusLine.clock(MediaTime(seconds: session.elapsed)), destinations: session.destinations.map(\.name),
            isMicrophoneOn: isMicrophoneOn(session.audio))
    }

    /// A microphone that is off is not listed; a session without sound has none.
    private static func isMicrophoneOn(_ audio: SessionReport.Audio) -> Bool? {
        audio.mic == nil && audio.app == nil ? nil : audio.mic != nil
    }
}
