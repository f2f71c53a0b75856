import CommandModels
import Terminal

/// The full-screen picker. Shows the model, passes keys to it, and runs the actions that keep the picker open.
struct Picker {
    private enum Event {
        case terminal(PickerTerminal.Event)
        case sessions(LiveSession.Report)
    }

    private(set) var model: PickerModel
    private let session: LiveSession
    /// The questions that the model has asked. A key that the user typed before the latest one was shown is no answer.
    private var questionCount = 0

    init(_ model: PickerModel, session: LiveSession) {
        self.model = model
        self.session = session
    }

    /// Shows the picker until the user chooses, and then restores the terminal. Returns nil if there is no terminal.
    mutating func run() async -> PickerModel.Action? {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        guard let terminal = PickerTerminal(onEvent: { continuation.yield(.terminal($0)) }) else { return nil }
        let watch = Task { [session] in
            // If a session does not answer, the user can still quit.
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(1))
                continuation.yield(.sessions(await session.fetch()))
            }
        }
        draw(on: terminal)
        var action = PickerModel.Action.quit
        for await event in events {
            if let chosen = await heed(event) {
                action = chosen
                break
            }
            draw(on: terminal)
        }
        watch.cancel()
        await terminal.close()
        return action
    }

    private mutating func heed(_ event: Event) async -> PickerModel.Action? {
        switch event {
        case .sessions(let report):
            model.live = report.live
            model.others = report.others
        case .terminal(.redraw): break
        case .terminal(.end): return .quit
        case .terminal(.keys(let keys, let question)):
            guard question == questionCount else { break }
            for key in keys {
                guard let action = model.press(key) else {
                    guard model.unconfirmed == nil else {
                        questionCount += 1
                        break
                    }
                    continue
                }
                guard action == .toggleLiveMicrophone else { return action }
                if let live = await session.toggleMicrophone() { model.live = live }
            }
        }
        return nil
    }

    private mutating func draw(on terminal: PickerTerminal) {
        let size = terminal.size
        let renderer = PickerRenderer(width: size.width, height: size.height)
        model.pageLength = renderer.rowCount(model)
        terminal.draw(renderer.lines(model), question: questionCount)
    }
}
