import Foundation
import TestSupport

/// The extensions that are shipped, laid where the built `broadcast` finds them, as `make install` lays them.
enum ShippedExtensions {
    /// The package's folder.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        .standardized.path

    /// The program of an extension: a link, after `lay`.
    static func path(of name: String) throws -> String {
        let folder = URL(fileURLWithPath: try BuiltPrograms.path(of: "broadcast")).deletingLastPathComponent()
        return folder.appendingPathComponent("../lib/broadcast/extensions/\(name)/broadcast-\(name)").standardized.path
    }

    nonisolated(nonsending) static func lay(in peers: Peers) async throws {
        let folder = URL(fileURLWithPath: try BuiltPrograms.path(of: "broadcast")).deletingLastPathComponent().path
        try await peers.run("extensions", [package + "/.ci/extensions", folder, "hls", "lan", "srt", "whip"])
    }

    /// A configuration of `Examples/origin-and-edges`.
    static func configuration(_ name: String) throws -> String {
        try String(contentsOfFile: "\(package)/Examples/origin-and-edges/\(name).conf", encoding: .utf8)
    }
}

extension MediaFile {
    /// Expects the painted clock in every frame, without a gap, and the beeps in time: at least that many seconds of
    /// both.
    nonisolated(nonsending) func expectClockAndBeeps(
        seconds: Double, latePlayback: [Int: Double] = [:]
    ) async throws {
        let clock = try await clock()
        let times = clock.readings.map(\.pts)
        let length = (times.last ?? 0) - (times.first ?? 0)
        let largestStep = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .infinity
        if clock.unreadable > 0 || !clock.isSmooth || length < seconds || largestStep > 0.2 {
            throw PeerError.answer(
                "\(path): \(clock.readings.count) frames in \(length) s, \(clock.unreadable) unreadable, \(clock.smoothFault ?? "no fault"), step \(largestStep) s"
            )
        }
        let sound = try await AudioDecoder.decode(path, in: peers)
        let delays = clock.soundDelays(BeepFinder.beeps(in: sound), latePlayback: latePlayback)
        if Double(delays.count) < seconds - 2 || !delays.areInTime(within: 0.06) || sound.largestGap > 0.03 {
            throw PeerError.answer(
                "\(path): beeps are late by \(delays), played late by \(latePlayback), the largest gap is \(sound.largestGap) s"
            )
        }
    }
}
