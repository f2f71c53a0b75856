import CommandModels
import Control
import Host
import Media
import Presentation
import UserConfiguration

/// The session that the picker starts and stops, and the other running sessions. It queries their control sockets.
struct LiveSession {
    /// The states of all sessions.
    struct Report: Equatable {
        /// The session of the picker; nil if it does not run.
        var live: PickerModel.Live?
        /// The other sessions, sorted by name.
        var others: [PickerModel.Other]
    }

    let name: String
    let paths: Paths

    /// Queries the current states of all sessions.
    func fetch() async -> Report {
        let sessions = RunningSession.all(paths)
        var report = Report(live: nil, others: [])
        for (session, answer) in zip(sessions, await RunningSession.ask(.status, sessions)) {
            guard let live = Self.live(answer) else { continue }
            if session.name == name {
                report.live = live
            } else {
                report.others.append(.init(name: session.name, live: live))
            }
        }
        return report
    }

    func toggleMicrophone() async -> PickerModel.Live? {
        let answer: Result<ControlReply?, ControlClient.Failure>
        do throws(ControlClient.Failure) {
            answer = .success(try await RunningSession(name: name, paths).ask(.microphone(.toggle)))
        } catch {
            answer = .failure(error)
        }
        return Self.live(answer)
    }

    private static func live(_ answer: Result<ControlReply?, ControlClient.Failure>) -> PickerModel.Live? {
        guard case .success(let reply) = answer else {
            return PickerModel.Live(
                state: "not answering", clock: StatusLine.clock(.zero), destinations: [], isMicrophoneOn: nil)
        }
        guard let reply else { return nil }
        // The session runs but is too new to report its state.
        guard let session = reply.session else {
            return PickerModel.Live(
                state: "starting", clock: StatusLine.clock(.zero), destinations: [], isMicrophoneOn: nil)
        }
        guard session.state != "finished", session.state != "failed" else { return nil }
        return PickerModel.Live(
            state: session.state, clock: StatusLine.clock(MediaTime(seconds: session.elapsed)),
            destinations: session.destinations.filter { $0.state != "finished" && $0.state != "failed" }.map(\.name),
            isMicrophoneOn: isMicrophoneOn(session.audio))
    }

    /// True if the microphone is on; nil if the session has no sound. A microphone that is off is not in the status.
    private static func isMicrophoneOn(_ audio: SessionReport.Audio) -> Bool? {
        audio.mic == nil && audio.app == nil ? nil : audio.mic != nil
    }
}
