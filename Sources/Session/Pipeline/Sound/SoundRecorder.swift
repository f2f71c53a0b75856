import Capture
import Concurrency
import ContentCapture
import Media
import Mix
import PulseCapture
import Synchronization
import WindowPrivacy

/// The recording threads: one runs PulseAudio's main loop, another one reads a file or a pipe. The sound of the program
/// itself needs no thread.
final class SoundRecorder: Sendable {
    /// The reports of the threads.
    enum Event: Sendable {
        case notice(PipelineNotice)
        /// The chosen file cannot be opened.
        case failed(CaptureError)
    }

    /// Sound that is recorded this long before the user hears it causes a notice at the start.
    private static let longLead = MediaTime(milliseconds: 500)

    private let configuration: MediaConfiguration.Audio
    private let mutedWindows: HiddenWindowRules?
    private let content: ContentClock
    private let inbox: SoundInbox
    private let stopping = Atomic(false)

    /// - Parameters:
    ///   - mutedWindows: the windows whose programs are not recorded; nil if all programs are recorded.
    ///   - content: the timeline that a file's sound shares with the session's pictures.
    init(
        configuration: MediaConfiguration.Audio, mutedWindows: HiddenWindowRules?, content: ContentClock,
        inbox: SoundInbox
    ) {
        self.configuration = configuration
        self.mutedWindows = mutedWindows
        self.content = content
        self.inbox = inbox
    }

    /// Starts the recording.
    ///
    /// - Parameter report: called on the recording threads. It must not block.
    /// - Returns: the recording threads.
    func begin(clock: SessionClock, report: @escaping @Sendable (Event) -> Void) -> [NamedThread] {
        var threads = [NamedThread(name: "pulse") { [self] in record(clock: clock, report: report) }]
        switch configuration.content {
        case .system: break
        case .wav(let path):
            threads.append(NamedThread(name: "wav") { [self] in play(path, clock: clock, report: report) })
        case .feed(let feed):
            inbox.started(.app, name: "application")
            feed.begin(clock: clock) { [inbox] in inbox.put($0) }
        }
        return threads
    }

    /// Ends the recording. Returns at once; the threads end within 100 ms, unless PulseAudio or a file blocks them.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        // Wakes a thread that waits for a track to record.
        inbox.end(at: .zero)
        if case .feed(let feed) = configuration.content { feed.end() }
    }

    private var goesOn: Bool { !stopping.load(ordering: .relaxed) }

    private func record(clock: SessionClock, report: @escaping @Sendable (Event) -> Void) {
        if let name = PulseRecorder.missingLibrary {
            inbox.suspend([.app, .mic], because: .noSoundLibrary(name))
            if !requests.isEmpty { report(.notice(.noSoundLibrary(name))) }
            return
        }
        var lost: Set<Track> = []
        var isFirst = true
        let recorder = PulseRecorder(
            requests: requests, clock: clock,
            deliver: { [inbox] sample in
                inbox.put(sample)
                guard sample.track == .app, isFirst else { return }
                isFirst = false
                // Sound belongs to the time at which the user hears it.
                let lead = sample.presentationTime - clock.now
                if lead > Self.longLead { report(.notice(.soundStartsLate(seconds: lead.seconds))) }
            },
            report: { [self] event in
                note(event)
                if let notice = PipelineNotice(event, lost: &lost, requested: requests.map(\.track)) {
                    report(.notice(notice))
                }
            })
        guard let recorder else { return }
        while goesOn {
            let requests = self.requests
            // The sound of a track that is off is not missed.
            lost.formIntersection(requests.map(\.track))
            recorder.want(requests)
            // Without a track to record, there is no connection to a server, and nothing to wake up for.
            if requests.isEmpty {
                guard inbox.waitUntilWanted(.mic) else { return }
                continue
            }
            recorder.iterate(timeout: MediaTime(milliseconds: 100))
        }
    }

    private func play(_ path: String, clock: SessionClock, report: (Event) -> Void) {
        let goesOn = { self.goesOn }
        let source: WAVSource
        do throws(CaptureError) {
            source = try WAVSource(path: path, clock: clock, content: content, while: goesOn)
        } catch {
            if goesOn() { report(.failed(error)) }
            return
        }
        var problem: PipelineNotice?
        let converter = FormatConverter(from: source.format)
        inbox.started(.app, name: path)
        do throws(CaptureError) {
            reading: while goesOn() {
                switch try source.next() {
                case .sound(let sample): if let converter { inbox.put(converter.convert(sample)) }
                case .nothing: continue
                case .ended: break reading
                }
            }
        } catch {
            problem = .soundContentFailed(error)
            report(.notice(.soundContentFailed(error)))
        }
        inbox.suspend([.app], because: problem)
    }

    private var requests: [PulseRequest] {
        let wanted = inbox.wanted
        var requests: [PulseRequest] = []
        if wanted.contains(.app), case .system = configuration.content {
            requests.append(PulseRequest(track: .app, sourceName: configuration.appSource, mutedWindows: mutedWindows))
        }
        if wanted.contains(.mic) { requests.append(PulseRequest(track: .mic, sourceName: configuration.micSource)) }
        return requests
    }

    private func note(_ event: PulseEvent) {
        switch event {
        case .started(let track, let source): inbox.started(track, name: source)
        case .interrupted(let track, let problem):
            inbox.suspend([track], because: .soundInterrupted(track, problem))
        case .serverUnavailable(let code):
            inbox.suspend(requests.map(\.track), because: .soundUnavailable(code: code))
        }
    }
}

extension PipelineNotice {
    /// Nil for an event without a notice.
    ///
    /// - Parameters:
    ///   - lost: the tracks whose loss was reported.
    ///   - requested: the tracks that are recorded.
    init?(_ event: PulseEvent, lost: inout Set<Track>, requested: [Track]) {
        switch event {
        case .started(let track, _):
            guard lost.remove(track) != nil else { return nil }
            self = .soundIsBack(track)
        case .interrupted(let track, let problem):
            lost.insert(track)
            self = .soundInterrupted(track, problem)
        case .serverUnavailable(let code):
            lost.formUnion(requested)
            self = .soundUnavailable(code: code)
        }
    }
}
