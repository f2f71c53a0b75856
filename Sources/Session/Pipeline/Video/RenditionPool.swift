import Capture
import Concurrency
import Encode
import Media
import Synchronization

/// The renditions of a session, and the choice of a rendition for each destination. Destinations can join and leave at
/// the same time on different tasks.
final class RenditionPool: Sendable {
    /// The source that the renditions encode, and the rate of their ticks.
    struct Source: Sendable {
        var opening: OpenedSource
        /// Ticks per second.
        var frameRate: Int
    }

    private struct State {
        var renditions: [Rendition] = []
        /// The renditions that are being opened, each with an event that is set when that is over.
        var openings: [(settings: RenditionSettings, isOver: Once<Void>)] = []
        /// Nil until `begin`.
        var clock: SessionClock?
    }

    private let configuration: MediaConfiguration
    private let disclosure: Disclosure
    private let capture: CaptureLoop
    private let clips: ClipBuffer?
    private let onFailure: @Sendable (EncodeError) -> Void
    /// How long `detach` and `finish` wait for an encoder's thread.
    private let threadLimit: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capture: gives its frames to each rendition.
    ///   - clips: receives the packets of the first rendition.
    ///   - onFailure: called on an encoder's thread if the encoder fails. It must not block.
    init(
        configuration: MediaConfiguration, disclosure: Disclosure, capture: CaptureLoop, clips: ClipBuffer?,
        threadLimit: Duration, onFailure: @escaping @Sendable (EncodeError) -> Void
    ) {
        self.configuration = configuration
        self.disclosure = disclosure
        self.capture = capture
        self.clips = clips
        self.threadLimit = threadLimit
        self.onFailure = onFailure
    }

    /// All renditions, the first one first.
    var all: [Rendition] { state.withLock { $0.renditions } }

    /// Makes a rendition for each different picture that `outputs` require. Outputs with equal requirements share one.
    func open(for outputs: [OutputRequirements], from source: Source) async throws(PipelineError) {
        var groups: [(picture: PictureRequirements, outputs: [OutputRequirements])] = []
        for output in outputs {
            if let index = groups.firstIndex(where: { $0.picture == output.picture }) {
                groups[index].outputs.append(output)
            } else {
                groups.append((output.picture, [output]))
            }
        }
        for group in groups {
            let settings = try settings(for: group.outputs, from: source, keepsClips: clips != nil && all.isEmpty)
            if !all.contains(where: { $0.settings == settings }) {
                _ = try await makeRendition(settings, requirements: group.picture, from: source, first: nil)
            }
        }
    }

    /// Starts the clock of every rendition, also of later ones.
    func begin(clock: SessionClock) {
        let renditions = state.withLock { state in
            state.clock = clock
            return state.renditions
        }
        for rendition in renditions { rendition.begin(clock: clock) }
    }

    /// Adds `outlet` to a rendition that serves `requirements`. Makes a rendition if none does.
    func attach(_ outlet: Distributor.Outlet, for requirements: OutputRequirements, from source: Source)
        async throws(PipelineError)
        -> Rendition
    {
        let own = try settings(for: [requirements], from: source, keepsClips: false)
        while true {
            // The choice and the new outlet are one step, so that `detach` cannot end the rendition in between.
            let (chosen, opening, isMine) = state.withLock { state -> (Rendition?, Once<Void>, Bool) in
                if let rendition = Self.rendition(
                    for: requirements, own, among: state.renditions, isRunning: state.clock != nil)
                {
                    rendition.distributor.add(outlet)
                    return (rendition, Once(), false)
                }
                if let opening = state.openings.first(where: { $0.settings == own || $0.settings.serves(own) }) {
                    return (nil, opening.isOver, false)
                }
                let opening = Once<Void>()
                state.openings.append((own, opening))
                return (nil, opening, true)
            }
            if let chosen {
                // There are no repeats of a raw picture before the first one.
                if outlet.coding == .raw {
                    chosen.requestWholeFrame()
                    capture.noteDisclosure()
                }
                return chosen
            }
            guard isMine else {
                // Another destination opens a rendition that this one can share.
                await opening.value
                continue
            }
            defer {
                state.withLock { state in state.openings.removeAll { $0.isOver === opening } }
                opening.set(())
            }
            return try await makeRendition(own, requirements: requirements.picture, from: source, first: outlet)
        }
    }

    /// Removes the outlet of `queue`. A rendition without outlets ends, unless it is the last one, whose figures the
    /// status shows, or keeps clips.
    func detach(_ queue: PacketQueue, from rendition: Rendition) async {
        let isOver = state.withLock { state in
            rendition.distributor.remove(queue)
            guard !rendition.keepsClips, rendition.distributor.isEmpty, state.renditions.count > 1,
                let index = state.renditions.firstIndex(where: { $0 === rendition })
            else { return false }
            state.renditions.remove(at: index)
            return true
        }
        guard isOver else { return }
        capture.remove(rendition)
        await rendition.finish(within: threadLimit)
    }

    /// Ends every rendition once it has encoded the frames that wait.
    func finish() async {
        for rendition in all { await rendition.finish(within: threadLimit) }
    }

    private static func rendition(
        for requirements: OutputRequirements, _ own: RenditionSettings, among renditions: [Rendition], isRunning: Bool
    ) -> Rendition? {
        if !isRunning, let match = renditions.first(where: { $0.requirements == requirements.picture }) { return match }
        return renditions.first { $0.settings == own } ?? renditions.first { $0.settings.serves(own) }
    }

    private func settings(
        for outputs: [OutputRequirements], from source: Source, keepsClips: Bool
    ) throws(PipelineError) -> RenditionSettings {
        try RenditionSettings(
            outputs: outputs, configuration: configuration, sourceSize: source.opening.sourceSize,
            frameRate: source.frameRate,
            keepsClips: keepsClips)
    }

    /// - Parameter first: the outlet that the rendition has from its start.
    private func makeRendition(
        _ settings: RenditionSettings, requirements: PictureRequirements, from source: Source,
        first: Distributor.Outlet?
    ) async throws(PipelineError) -> Rendition {
        do throws(EncodeError) {
            let rendition = try await Rendition(
                settings: settings, requirements: requirements, frameRate: source.frameRate,
                clips: all.isEmpty ? clips : nil,
                disclosure: disclosure, onFailure: onFailure)
            if let first { rendition.distributor.add(first) }
            let clock = state.withLock { state in
                state.renditions.append(rendition)
                return state.clock
            }
            if let clock { rendition.begin(clock: clock) }
            capture.add(rendition)
            return rendition
        } catch {
            throw .encode(error)
        }
    }
}
