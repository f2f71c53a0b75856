import Capture
import Control
import FoundationEssentials
import Glibc
import Session
import UserConfiguration

extension SessionReport {
    /// Creates the object of the status JSON for a session of this process.
    init(
        _ snapshot: SessionSnapshot, name: String, started: Date, title: String?, application: ApplicationInformation?,
        phrases: any HostPhrases
    ) {
        self.init(
            session: name, pid: getpid(), state: snapshot.state.rawValue, started: FileDate.iso8601(started),
            elapsed: (snapshot.elapsed.seconds * 1000).rounded() / 1000, title: title,
            source: Source(
                kind: (snapshot.source?.kind ?? .screen).rawValue, display: snapshot.source?.display ?? "",
                name: snapshot.source?.name,
                width: snapshot.sourceSize?.width, height: snapshot.sourceSize?.height,
                locked: snapshot.isLocked ? true : nil,
                withheld: snapshot.isWithheld ? true : nil,
                shared: snapshot.source?.isShared == true ? true : nil),
            video: snapshot.video.map {
                Video(
                    width: $0.size.width, height: $0.size.height, fps: $0.frameRate, captured: $0.captured,
                    encoded: $0.encoded,
                    repeated: $0.repeated, dropped: $0.dropped, bitrateKbps: $0.bitrate, targetKbps: $0.targetBitrate,
                    fastestPreset: $0.reduction.usesFastestPreset ? true : nil,
                    encodedFps: $0.reduction.frameDivisor > 1 ? $0.frameRate / $0.reduction.frameDivisor : nil)
            },
            audio: Audio(
                app: snapshot.app.map { AudioSource($0, phrases: phrases) },
                mic: snapshot.mic.map { AudioSource($0, phrases: phrases) }),
            application: application.map { Application(id: $0.id, title: $0.title, name: $0.name) },
            hiddenWindows: snapshot.hiddenWindows.isEmpty
                ? nil : snapshot.hiddenWindows.map { HiddenWindows(rule: $0.rule, windows: $0.count) },
            endReason: snapshot.endReason.map { phrases.sentence(.session(.pipeline(.source($0)))) },
            destinations: snapshot.destinations.map { DestinationReport($0, phrases: phrases) })
    }
}

extension SessionReport.AudioSource {
    fileprivate init(_ audio: SessionSnapshot.Audio, phrases: any HostPhrases) {
        self.init(
            source: audio.source, levelDb: audio.level, driftPpm: (audio.drift * 10).rounded() / 10,
            muted: audio.isMuted, problem: audio.problem.map { phrases.sentence(.session(.pipeline($0))) })
    }
}

extension DestinationReport {
    /// Creates the object of the status JSON for a destination.
    init(_ destination: DestinationSnapshot, phrases: any HostPhrases) {
        self.init(
            name: destination.name, extension: destination.kind.name, state: destination.state.rawValue,
            url: destination.url,
            bytes: destination.byteCount, bitrateKbps: destination.bitrate, dropped: destination.dropped,
            duration: destination.duration.map { ($0.seconds * 1000).rounded() / 1000 },
            queueMs: Int(destination.backlog.milliseconds), reconnects: destination.reconnects,
            nextRetryS: destination.nextRetry.map { ($0.seconds * 10).rounded() / 10 },
            width: destination.picture?.width,
            height: destination.picture?.height, path: destination.path,
            watchUrl: destination.watchURL, viewers: destination.viewers, status: destination.statusText,
            error: destination.error.map {
                let isRetried = destination.isRetried || destination.state == .reconnecting
                return phrases.report($0, of: destination.name, isRetried: isRetried)
            })
    }
}

extension ClipReport {
    init(_ clip: SavedClip) {
        self.init(path: clip.path, start: clip.start.seconds, duration: clip.duration.seconds)
    }
}
