import Control
import Media

/// The session that the picker starts and stops, asked through its control socket.
struct LiveSession {
    let socket: String

    /// - Parameter paths: where the socket of the session "default" is.
    init(paths: Paths) {
        socket = paths.socket(session: "default")
    }

    /// What it does now; nil where none runs.
    func fetch() async -> PickerModel.Live? {
        await ask(ControlRequest(command: "status"))
    }

    func toggleMicrophone() async -> PickerModel.Live? {
        await ask(ControlRequest(command: "mic", value: "toggle"))
    }

    private func ask(_ request: ControlRequest) async -> PickerModel.Live? {
        guard let reply = await ControlClient.ask(request, at: socket) else { return nil }
        // It runs, though it can't tell yet what it does.
        guard let session = reply.session else {
            return PickerModel.Live(state: "starting", clock: StatusLine.clock(.zero), destinations: [], isMicrophoneOn: nil)
        }
        guard session.state != "finished", session.state != "failed" else { return nil }
        return PickerModel.Live(
            state: session.state, clock: StatusLine.clock(MediaTime(seconds: session.elapsed)), destinations: session.destinations.map(\.name),
            isMicrophoneOn: Self.isMicrophoneOn(session.audio))
    }
    /// A microphone that is off is not listed; a session without sound has none.
    private static func isMicrophoneOn(_ audio: SessionReport.Audio) -> Bool? {
        audio.mic == nil && audio.app == nil ? nil : audio.mic != nil
    }
}
