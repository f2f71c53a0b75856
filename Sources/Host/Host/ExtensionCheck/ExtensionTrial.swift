import Encode
import Media
import Synchronization
import Upload

/// Plays a test broadcast to an extension, and collects its violations of the protocol. It continues after an error if
/// possible.
package struct ExtensionTrial: Sendable {
    /// What the extension does wrong.
    package enum Finding: Sendable, Equatable {
        /// A violation of the protocol. The test broadcast continued.
        case violation(ExtensionProblem)
        /// The test broadcast ended.
        case failed(UploadError)
        /// A broadcast without a picture ended with an error.
        case failedWithoutPicture(UploadError)
    }

    /// The result of a trial.
    package struct Outcome: Sendable, Equatable {
        /// Empty if the extension follows the protocol.
        package var findings: [Finding]
        /// The number of samples and calls of the test broadcast.
        package var callCount: Int
        /// The number of bytes that the extension received.
        package var byteCount: Int
        /// The address at which viewers can watch, if the extension reported one.
        package var watchURL: String?
        /// How many people watched at the end, if the extension reported it.
        package var viewers: Int?
        /// How many comments it passed on, and the last one.
        package var commentCount = 0
        package var lastComment: ViewerComment?

        package init(findings: [Finding], callCount: Int, byteCount: Int) {
            self.findings = findings
            self.callCount = callCount
            self.byteCount = byteCount
        }
    }

    /// As in a broadcast (`ShutdownTimetable.extensionFinish`): longer than `ExtensionLaunch.Deadlines.exit`.
    private static let finishDeadline = Duration.milliseconds(5500)

    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch

    /// - Parameter launch: with the answers to the extension's questions. Its `violations` are not used.
    package init(manifest: ExtensionManifest, launch: ExtensionLaunch) {
        self.manifest = manifest
        self.launch = launch
    }

    /// Plays the broadcast.
    ///
    /// - Parameter report: receives the notices of the extension, on any thread.
    /// - Throws: if the test broadcast cannot be encoded.
    package func run(report: @escaping @Sendable (UploadNotice) -> Void) async throws(EncodeError) -> Outcome {
        let found = FindingList()
        let seconds = manifest.mode == .clips ? min(Int(manifest.clipDuration.rounded(.up)) * 2 + 2, 120) : 6
        let broadcast = try CannedBroadcast(
            seconds: seconds, isRaw: manifest.takesRawVideo, hasVideo: manifest.takesVideo,
            hasSound: !manifest.audioTracks.isEmpty,
            soundCodec: manifest.soundCodec, profile: manifest.profile)
        let comments = Mutex<(count: Int, last: ViewerComment?)>((0, nil))
        let context = HandlerContext(
            report: report, comment: { comment in comments.withLock { $0 = ($0.count + 1, comment) } })
        let handler = makeHandler(found, context)
        if let error = await play(broadcast.stream, broadcast.elements, to: handler) { found.add(.failed(error)) }
        // A broadcast may be stopped before its first picture. The protocol does not define what a stream's program
        // does with an empty stream, so only clip and packet extensions are tested.
        if found.isEmpty && manifest.mode != .stream,
            let error = await play(broadcast.stream, [], to: makeHandler(found, HandlerContext(report: report)))
        {
            found.add(.failedWithoutPicture(error))
        }
        var outcome = Outcome(
            findings: found.all, callCount: broadcast.elements.count, byteCount: handler.byteCount)
        outcome.watchURL = handler.remarks.watchURL
        outcome.viewers = handler.remarks.viewers
        (outcome.commentCount, outcome.lastComment) = comments.withLock { $0 }
        return outcome
    }

    private func makeHandler(_ found: FindingList, _ context: HandlerContext) -> any SampleHandler {
        var launch = launch
        launch.violations = { found.add(.violation($0)) }
        let handler = DestinationPlan.program(name: manifest.name, manifest: manifest, launch: launch).makeHandler()
        handler.attach(context)
        return handler
    }

    /// Sends the elements and a finish to the handler. Returns its error.
    private func play(
        _ stream: StreamDescription, _ elements: [PacketQueue.Element], to handler: any SampleHandler
    ) async -> UploadError? {
        do throws(UploadError) {
            try await handler.started(stream)
            for element in elements {
                switch element {
                case .packet(let packet): try await handler.process(packet)
                case .paused: try await handler.paused()
                case .resumed: try await handler.resumed()
                case .annotated(let information): try await handler.annotated(information)
                }
            }
        } catch {
            try? await handler.finished(deadline: .zero)
            return error
        }
        do throws(UploadError) {
            try await handler.finished(deadline: Self.finishDeadline)
            return nil
        } catch {
            return error
        }
    }
}
