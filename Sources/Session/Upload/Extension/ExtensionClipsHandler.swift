import BroadcastExtension
import Glibc
import Media

/// Passes finished MP4 files to an extension's process, one after another (`mode = "clips"`), as ReplayKit's
/// `RPBroadcastMP4ClipHandler` does. Standard input carries control frames only.
package actor ExtensionClipsHandler: SampleHandler {
    private let manifest: ExtensionManifest
    private let launch: ExtensionLaunch
    private let link = ExtensionLink()
    private var channel: ExtensionChannel?
    private var cutter: ClipCutter
    private var stream = StreamDescription(video: nil, audio: [])
    /// The folder of this broadcast's clips, and the clip that is being written.
    private var folder: ClipFolder?
    private var clip: ClipFile?
    private var waiting = WaitingClips()
    private var clipCount = 0

    package nonisolated var byteCount: Int { link.byteCount.load(ordering: .relaxed) }
    package nonisolated var remarks: HandlerRemarks { link.remarks }

    package init(manifest: ExtensionManifest, launch: ExtensionLaunch) {
        self.manifest = manifest
        self.launch = launch
        cutter = ClipCutter(length: MediaTime(seconds: manifest.clipDuration), hasSound: false)
    }

    package nonisolated func attach(_ context: HandlerContext) {
        link.attach(context)
    }

    package func started(_ stream: StreamDescription) async throws(UploadError) {
        if let problem = manifest.problem { throw .extension(name: manifest.name, problem) }
        self.stream = stream
        cutter = ClipCutter(length: MediaTime(seconds: manifest.clipDuration), hasSound: !stream.audio.isEmpty)
        folder = try ClipFolder(in: launch.clipFolder, name: manifest.name)
        let channel = try ExtensionChannel(manifest: manifest, launch: launch, link: link)
        self.channel = channel
        let tracks = SamplePacketizer(stream, video: .avcc, audio: .raw).tracks
        try channel.send(.start(setup: launch.setup, tracks: tracks, title: stream.title))
        try channel.waitForHello()
    }

    package func process(_ packet: EncodedPacket) async throws(UploadError) {
        try channel?.listen()
        try perform(cutter.append(packet))
    }

    package func paused() async throws(UploadError) { try channel?.send(ControlEvent(event: "pause")) }
    package func resumed() async throws(UploadError) { try channel?.send(ControlEvent(event: "resume")) }
    package func annotated(_ information: [String: String]) async throws(UploadError) {
        try channel?.send(.annotate(information))
    }

    package func finished(deadline: Duration) async throws(UploadError) {
        defer { removeFolder() }
        guard let channel else { return }
        defer { self.channel = nil }
        guard deadline > .zero else { return channel.terminate() }
        do throws(UploadError) {
            try perform(cutter.finish())
            try channel.send(ControlEvent(event: "finish"))
            try channel.finish()
        } catch {
            channel.terminate()
            throw error
        }
    }

    private func perform(_ steps: [ClipCutter.Step]) throws(UploadError) {
        for step in steps {
            switch step {
            case .begin(let time):
                clipCount += 1
                let number = String(clipCount)
                let name = String(repeating: "0", count: max(0, 6 - number.count)) + number
                clip = try ClipFile(
                    path: "\(folder?.path ?? launch.clipFolder)/clip-\(name).mp4", start: time, stream: stream)
            case .append(let packet): try clip?.append(packet)
            case .end(let time):
                guard let clip else { continue }
                self.clip = nil
                try clip.close()
                link.byteCount.add(clip.byteCount, ordering: .relaxed)
                var event = ControlEvent(event: "clip")
                event.path = clip.path
                event.start = clip.start.seconds
                event.duration = (time - clip.start).seconds
                for path in waiting.append(clip.path, byteCount: clip.byteCount) {
                    link.report(.removedClip(name: manifest.name, path: path))
                }
                try channel?.send(event)
            }
        }
    }

    /// Removes the folder with the clips that the extension did not remove.
    private func removeFolder() {
        if let clip { unlink(clip.path) }
        clip = nil
        waiting.removeAll()
        folder = nil
    }
}
