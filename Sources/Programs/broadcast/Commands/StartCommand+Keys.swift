import Concurrency
import Control
import Host
import Presentation
import Terminal

/// Carries out what the user's keys ask of a session that shows its status on the terminal.
struct SessionKeyActions: Sendable {
    private let host: SessionHost
    private let output: ConsoleOutput
    /// Pauses and resumes, one after another.
    private let pauses: AsyncStream<Void>.Continuation
    /// The rest, which may take longer.
    private let others: AsyncStream<SessionKey>.Continuation

    /// How long the user can confirm that the microphone is turned on.
    private static let confirmation = Duration.seconds(5)

    init(_ host: SessionHost, output: ConsoleOutput) {
        self.host = host
        self.output = output
        let (pauseStream, pauses) = AsyncStream.makeStream(of: Void.self)
        let (otherStream, others) = AsyncStream.makeStream(of: SessionKey.self)
        (self.pauses, self.others) = (pauses, others)
        let actions = self
        Task { for await _ in pauseStream { await actions.togglePause() } }
        Task {
            var asked: ContinuousClock.Instant?
            for await key in otherStream {
                let isConfirmed = asked.map { $0.duration(to: .now) < Self.confirmation } ?? false
                asked = nil
                switch key {
                case .microphone: if await !actions.switchMicrophone(isConfirmed: isConfirmed) { asked = .now }
                case .clip: await actions.saveClip()
                case .pause, .stop: break
                }
            }
        }
    }

    /// Starts what a key asks for. Thread-safe. Returns at once.
    func press(_ key: SessionKey) {
        switch key {
        case .stop: host.requestStop()
        case .pause: pauses.yield()
        case .microphone, .clip: others.yield(key)
        }
    }

    private func togglePause() async {
        tell(await host.perform(host.session?.state == .paused ? .resume : .pause))
    }

    /// Turns the microphone off, or on if that is confirmed: a key that was meant for another window must not do it.
    ///
    /// - Returns: false if the user has to confirm it first.
    private func switchMicrophone(isConfirmed: Bool) async -> Bool {
        let sound = host.session?.snapshot()
        guard sound?.mic != nil || sound?.app == nil || isConfirmed else {
            output.say("Press m again to turn the microphone on.")
            return false
        }
        let reply = await host.perform(.microphone(sound?.mic == nil ? .on : .off))
        if let isOn = reply.microphone { output.say("microphone: \(isOn ? "on" : "off")") }
        tell(reply)
        return true
    }

    private func saveClip() async {
        // A blocking look at the folder.
        let path = await NamedThread.run(name: "clip name") { ClipCommand.absolute(ClipCommand.newName()) }
        tell(await host.perform(.clip(last: nil, path: path)))
    }

    private func tell(_ reply: ControlReply) {
        if let error = reply.error { output.say(error.message) }
    }
}
