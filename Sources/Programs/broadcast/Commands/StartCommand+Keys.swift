import Concurrency
import Control
import Host
import Presentation
import Synchronization
import Terminal

/// Carries out what the user's keys ask of a session that shows its status on the terminal.
///
/// What hides or stops something is done before `press` returns; what it takes for viewers is reported afterwards.
final class SessionKeyActions: Sendable {
    private let host: SessionHost
    private let output: ConsoleOutput
    private let presses = Mutex(KeyPresses())
    /// Clips, one after another.
    private let clips: AsyncStream<Void>.Continuation

    init(_ host: SessionHost, output: ConsoleOutput) {
        self.host = host
        self.output = output
        let (stream, clips) = AsyncStream.makeStream(of: Void.self)
        self.clips = clips
        Task {
            for await _ in stream {
                // A blocking look at the folder.
                let path = await NamedThread.run(name: "clip name") { ClipCommand.absolute(ClipCommand.newName()) }
                Self.tell(await host.perform(.clip(last: nil, path: path)), output)
            }
        }
    }

    /// Does what a key asks for. Thread-safe. Never waits.
    ///
    /// - Parameters:
    ///   - key: nil for a key without a meaning.
    ///   - isRepeated: it came several times at once.
    func press(_ key: SessionKey?, isRepeated: Bool, at time: ContinuousClock.Instant = .now) {
        switch presses.withLock({ $0.request(for: key, isRepeated: isRepeated, at: time) }) {
        case .stop: host.requestStop()
        case .pause: pause(orResume: false)
        case .pauseOrResume: pause(orResume: true)
        case .turnMicrophoneOff: switchMicrophone(mayTurnOn: false)
        case .turnMicrophoneOffOrAsk:
            guard !switchMicrophone(mayTurnOn: false) else { return }
            presses.withLock { $0.askedForMicrophone(at: time) }
            output.say("To turn the microphone on, press m again after a second.")
        case .switchMicrophone: switchMicrophone(mayTurnOn: true)
        case .clip: clips.yield()
        case nil: break
        }
    }

    private func pause(orResume mayResume: Bool) {
        let isPausing = host.pauseNow { [output] in Self.tell($0, output) }
        if isPausing || !mayResume || host.session?.resume() == true { return }
        explain(.pause)
    }

    /// Returns false if the microphone is off and stays off.
    @discardableResult private func switchMicrophone(mayTurnOn: Bool) -> Bool {
        guard let microphone = host.switchMicrophone(mayTurnOn: mayTurnOn) else {
            explain(.microphone(.off))
            return true
        }
        if microphone.hasChanged { output.say("microphone: \(microphone.isOn ? "on" : "off")") }
        return microphone.hasChanged
    }

    /// Says why a request is not possible now.
    private func explain(_ request: ControlRequest) {
        Task { [host, output] in Self.tell(await host.perform(request), output) }
    }

    private static func tell(_ reply: ControlReply, _ output: ConsoleOutput) {
        if let error = reply.error { output.say(error.message) }
    }
}
