import Foundation
import TestSupport
import Testing

/// Fault injection: servers that are killed, hang or send invalid data, networks that lose packets, and starts that
/// never end.
///
/// `make test-faults` runs them. They take minutes, so `make test` has only the short ones (`OutageTests` in
/// EndToEndTests). Other faults have their tests elsewhere: timestamps that cross 0xFFFFFF and 32 bits in RTMPTests
/// (`TimestampTests`); a full disk, `kill -9` and an X server that ends in `SurvivalTests`; an X server that is stopped
/// in `StalledSourceTests` and `BadInputTests`; PulseAudio that is killed in `SoundSurvivalTests`.
@Suite struct FaultTests {}

extension Peer {
    /// Resident memory of the process, now and at most, in bytes; nil where it has ended.
    func memory() -> (now: Int, peak: Int)? {
        let text = textOfProc("/proc/\(processIdentifier)/status")
        func field(_ name: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(whereSeparator: \.isWhitespace)
                .dropFirst().first.flatMap {
                    Int($0)
                }
        }
        guard let now = field("VmRSS"), let peak = field("VmHWM") else { return nil }
        return (now * 1024, peak * 1024)
    }
}

extension MediaFile {
    /// The steps between the packets of a track, the largest one, in seconds; nil where it has none.
    nonisolated(nonsending) func largestStep(_ kind: String) async throws -> Double? {
        let times = try await FFProbe.packets(of: path, in: peers).filter { $0.kind == kind }.compactMap {
            $0.pts.flatMap { Double($0) }
        }
        return zip(times, times.dropFirst()).map { $1 - $0 }.max()
    }

    /// Expects that no sound was left out: a lost AAC frame would be a step of 43 ms, and FLV's milliseconds round a
    /// step of 21.3 ms.
    nonisolated(nonsending) func expectWholeSound(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let step = try await largestStep("audio") ?? 1
        #expect(step < 0.03, "\(path): a step of \(step) s in the sound", sourceLocation: sourceLocation)
    }

    /// Expects a clock without a hole: no frame is older than the one before, none comes late, and each can be read, up
    /// to a share that is blurred where the rest of the picture moves.
    nonisolated(nonsending) func expectUnbrokenClock(
        gap: Double = 0.3, with reader: ClockReader = ClockReader(), unreadable: Double = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let clock = try await ClockTrack.read(FrameDecoder(path, size: (640, 360)), with: reader, in: peers)
        let share = Double(clock.unreadable) / Double(max(clock.readings.count, 1))
        #expect(
            share <= unreadable && clock.isRunning, "\(path): \(clock.unreadable) unreadable",
            sourceLocation: sourceLocation)
        let steps = zip(clock.readings, clock.readings.dropFirst()).map { $1.pts - $0.pts }
        #expect(
            clock.readings.count > 30 && (steps.max() ?? 1) < gap, "\(path): a gap of \(steps.max() ?? 0) s",
            sourceLocation: sourceLocation)
    }
}

extension Studio {
    /// Gives root an extension of its own: a program rejects one that belongs to another user, as the built one does.
    nonisolated(nonsending) func installExtension(_ name: String) async throws {
        let programs = URL(fileURLWithPath: broadcast.binary).deletingLastPathComponent().path
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
            .standardized.path
        let folder = try #require(broadcast.environment["XDG_DATA_HOME"]) + "/broadcast/extensions/\(name)"
        let script =
            "umask 022 && mkdir -p \"$0\" && cp \"$2/Extensions/$3/extension.toml\" \"$0\""
            + " && cp \"$1/broadcast\" \"$0/broadcast-$3\""
        try await peers.run("install-\(name)", ["sh", "-c", script, folder, programs, package, name])
    }

    /// One destination of the session, by its name.
    nonisolated(nonsending) func destination(_ name: String) async throws -> SessionStatus.Destination? {
        try await status()?.destinations.first { $0.name == name }
    }
}
