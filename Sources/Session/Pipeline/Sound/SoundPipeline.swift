import Capture
import Concurrency
import ContentCapture
import Encode
import Media
import Mix
import Opus
import Synchronization
import WindowPrivacy

/// The sound of a session, from the devices to the destinations' queues. Its encoder opens when the first destination
/// needs sound.
///
///     SoundRecorder ─► AudioLoop ─┬► Distributor (AAC, PCM) ─► PacketQueue
///                                 └► Distributor (Opus) ─────► PacketQueue
final class SoundPipeline: Sendable {
    private let configuration: MediaConfiguration.Audio
    private let clips: ClipBuffer?
    private let report: @Sendable (PipelineNotice) -> Void
    private let onFailure: @Sendable (PipelineError) -> Void
    /// How long `join` waits for each thread.
    private let threadLimit: Duration
    private let distributor: Distributor
    private let loop: AudioLoop
    /// True if the user wants sound. If false, live destinations get silence, and recordings get no sound track.
    private let isWanted: Bool
    private let state = Mutex(State())

    private struct State {
        /// Nil until `begin`.
        var clock: SessionClock?
        var threads: [NamedThread] = []
        /// Nil until the encoder is open.
        var format: AudioTrackFormat?
        /// The result of opening the encoder, for all destinations that need it at the same time. Nil before the first
        /// one, and after a failure.
        var opening: Once<EncodeError?>?
    }

    /// - Parameters:
    ///   - mutedWindows: the windows whose programs are not recorded; nil if all programs are recorded.
    ///   - content: the timeline that a file's sound shares with the session's pictures.
    ///   - clips: receives the packets of the mixed track.
    ///   - threadLimit: how long `join` waits for each thread.
    ///   - report: called on a recording thread. It must not block.
    ///   - onFailure: called on a thread of the sound if the sound ends the broadcast. It must not block.
    init(
        configuration: MediaConfiguration.Audio, mutedWindows: HiddenWindowRules?, content: ContentClock,
        clips: ClipBuffer?,
        disclosure: Disclosure, threadLimit: Duration, report: @escaping @Sendable (PipelineNotice) -> Void,
        onFailure: @escaping @Sendable (PipelineError) -> Void
    ) {
        self.configuration = configuration
        self.clips = clips
        self.threadLimit = threadLimit
        self.report = report
        self.onFailure = onFailure
        isWanted = configuration.app != nil || configuration.mic != nil
        distributor = Distributor(clips: clips, marksClips: false)
        loop = AudioLoop(
            configuration: configuration, mutedWindows: mutedWindows, content: content, distributor: distributor,
            disclosure: disclosure)
    }

    // MARK: Start

    /// Throws if the file of sound cannot be read.
    func check() throws(PipelineError) {
        guard case .wav(let path) = configuration.content else { return }
        do throws(CaptureError) {
            try ContentCheck.sound(path: path)
        } catch {
            throw .capture(error)
        }
    }

    /// Opens the encoder if `outputs` or the clip buffer need sound.
    func open(for outputs: [OutputRequirements]) async throws(PipelineError) {
        if outputs.contains(where: serves) || clips != nil && isWanted { _ = try await openEncoder() }
    }

    /// Sound flows from now on. Time zero of `clock` is now.
    func begin(clock: SessionClock) {
        let isOpen = state.withLock { state in
            state.clock = clock
            return state.format != nil
        }
        if isOpen { record(clock, from: .zero) }
    }

    /// Opens the encoder, or waits until another call has opened it.
    ///
    /// - Returns: true if this call opened it.
    private func openEncoder() async throws(PipelineError) -> Bool {
        let (opening, isFirst) = state.withLock { state -> (Once<EncodeError?>, Bool) in
            if let opening = state.opening { return (opening, false) }
            let opening = Once<EncodeError?>()
            state.opening = opening
            return (opening, true)
        }
        if isFirst {
            do throws(EncodeError) {
                let (thread, format) = try await loop.open { [onFailure] in onFailure(.encode($0)) }
                state.withLock { state in
                    state.threads.append(thread)
                    state.format = format
                }
                opening.set(nil)
            } catch {
                state.withLock { $0.opening = nil }
                opening.set(error)
            }
        }
        if let error = await opening.value { throw .encode(error) }
        return isFirst
    }

    private func record(_ clock: SessionClock, from time: MediaTime) {
        let threads = loop.begin(clock: clock, at: time) { [report, onFailure] event in
            switch event {
            case .notice(let notice): report(notice)
            case .failed(let error): onFailure(.capture(error))
            }
        }
        state.withLock { $0.threads += threads }
    }

    // MARK: Destinations

    /// Adds `queue` to the sound if `requirements` include sound. Opens the encoder if this is the first one.
    ///
    /// - Returns: the formats of the tracks that `queue` receives; none if the destination gets no sound.
    func attach(_ queue: PacketQueue, for requirements: OutputRequirements) async throws(PipelineError)
        -> [AudioTrackFormat]
    {
        guard serves(requirements) else { return [] }
        if try await openEncoder(), let clock = state.withLock({ $0.clock }) { record(clock, from: clock.now) }
        let media = requirements.media
        let outlet = Distributor.Outlet(
            queue: queue, tracks: Set(media.audioTracks),
            coding: media.takesRawAudio ? .raw : media.audio == .opus ? .opus : .usual, carriesMarks: !media.takesVideo)
        var format = self.format
        if media.audio == .opus {
            format = OpusTrackEncoder.format(of: .mixed, bitrate: configuration.bitrate)
            if format == nil { throw .encode(.cannotOpenAudio(.outOfMemory)) }
        }
        distributor.add(outlet)
        return format.map { format in media.audioTracks.map { format.of($0) } } ?? []
    }

    /// Gives `queue` no more sound.
    func detach(_ queue: PacketQueue) {
        distributor.remove(queue)
    }

    /// True if such a destination gets sound. Some live services reject a stream without a sound track, so a live
    /// destination always gets one.
    private func serves(_ requirements: OutputRequirements) -> Bool {
        !requirements.media.audioTracks.isEmpty && (isWanted || requirements.isLive)
    }

    // MARK: While it runs

    /// The format of the mixed track; nil if the encoder is not open.
    var format: AudioTrackFormat? { state.withLock { $0.format } }

    /// The status of `track`; nil if it is not recorded.
    func status(of track: Track) -> SoundStatus? { format == nil ? nil : loop.status(of: track) }

    /// See `MediaPipeline.setMicrophone`.
    func setMicrophone(_ choose: (Bool) -> Bool) -> Bool? { format == nil ? nil : loop.setMicrophone(choose) }

    /// While the screen is locked, all sound is silent.
    func setLocked(_ isLocked: Bool) { loop.setLocked(isLocked) }

    // MARK: The end

    /// Sound is mixed up to `end`, and then the threads end. Returns at once.
    func halt(at end: MediaTime) {
        loop.stop(at: end)
    }

    /// Waits for the threads, with a limit for each.
    func join() async {
        for thread in state.withLock({ $0.threads }) { _ = await thread.join(within: threadLimit) }
    }
}

extension AudioTrackFormat {
    /// The same for another track.
    fileprivate func of(_ track: Track) -> AudioTrackFormat {
        var format = self
        format.track = track
        return format
    }
}
