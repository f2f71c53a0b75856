import Encode
import Media
import Pipeline

/// Fits the bitrate of each rendition to its live destinations (`SharedBitrate`).
struct BitrateFitter {
    /// kbit/s.
    private let audioBitrate: Int
    /// The controller of each destination. It continues after a pause and after an outage.
    private var controllers: [ObjectIdentifier: CongestionController] = [:]
    /// The destinations that were reported as too slow for the bitrate that they share, until they can take it again.
    private var tooSlow: Set<String> = []

    /// A destination's vote for the bitrate of its rendition, in kbit/s.
    private struct Vote {
        var rendition: Rendition
        var bitrate: Int
        var destination: String
    }

    /// - Parameter audioBitrate: kbit/s, which a destination receives in addition to the picture.
    init(audioBitrate: Int) {
        self.audioBitrate = audioBitrate
    }

    /// Sets the bitrates. Call it several times a second.
    ///
    /// - Parameter now: the session's time.
    /// - Returns: notices about bitrates that were lowered or restored.
    mutating func fit(_ renditions: [Rendition], to members: [SessionDestinations.Member], at now: MediaTime)
        -> [SessionNotice]
    {
        let present = Set(members.map { ObjectIdentifier($0.destination) })
        controllers = controllers.filter { present.contains($0.key) }
        tooSlow.formIntersection(members.filter { !$0.destination.state.isOver }.map(\.destination.plan.name))
        let votes = members.compactMap { vote(of: $0, at: now) }
        return renditions.flatMap { rendition in
            fit(
                rendition, to: votes.filter { $0.rendition === rendition },
                members.filter { $0.rendition === rendition && !$0.destination.state.isOver })
        }
    }

    /// Returns the bitrate that suits a destination; nil if it does not know one now.
    private mutating func vote(of member: SessionDestinations.Member, at now: MediaTime) -> Vote? {
        let destination = member.destination
        guard destination.plan.isLive, destination.state == .live, let rendition = member.rendition,
            let wanted = rendition.wantedBitrate
        else { return nil }
        if let accepted = destination.acceptedBitrate {
            // It measures its own connection, which the host does not see.
            let bitrate = max(wanted / 20, min(wanted, accepted - audioBitrate))
            return Vote(rendition: rendition, bitrate: bitrate, destination: destination.plan.name)
        }
        let key = ObjectIdentifier(destination)
        var controller = controllers[key] ?? CongestionController(wanted: wanted, audio: audioBitrate)
        let bitrate = controller.note(backlog: destination.backlog, bytes: destination.byteCount, at: now)
        controllers[key] = controller
        return bitrate.map { Vote(rendition: rendition, bitrate: $0, destination: destination.plan.name) }
    }

    /// - Parameters:
    ///   - votes: those for this rendition.
    ///   - members: the destinations that it serves.
    private mutating func fit(_ rendition: Rendition, to votes: [Vote], _ members: [SessionDestinations.Member])
        -> [SessionNotice]
    {
        guard let wanted = rendition.wantedBitrate, let before = rendition.bitrate else { return [] }
        guard let slowest = votes.min(by: { $0.bitrate < $1.bitrate }) else {
            // Without a vote of a viewer, the bitrate does not change.
            guard before != wanted, !members.contains(where: \.destination.plan.isLive) else { return [] }
            rendition.setBitrate(wanted)
            return [.bitrateRestored(wanted)]
        }
        let others = members.map(\.destination.plan).filter { $0.name != slowest.destination }
        // A recording takes everything. A viewer that does not vote now has no influence.
        let best = others.contains { !$0.isLive } ? wanted : votes.map(\.bitrate).max() ?? wanted
        let shared = SharedBitrate(slowest: slowest.bitrate, best: best)
        var notices: [SessionNotice] = []
        if shared.bitrate != before {
            rendition.setBitrate(shared.bitrate)
            if shared.bitrate < before, before == wanted {
                notices.append(
                    .bitrateLowered(
                        destination: slowest.destination, from: wanted, to: shared.bitrate,
                        sharedWith: others.map(\.name)))
            } else if shared.bitrate == wanted {
                notices.append(.bitrateRestored(wanted))
            }
        }
        if shared.exceedsSlowest, tooSlow.insert(slowest.destination).inserted {
            notices.append(
                .tooSlowForShared(destination: slowest.destination, takes: slowest.bitrate, bitrate: shared.bitrate))
        }
        for vote in votes where vote.bitrate >= shared.bitrate { tooSlow.remove(vote.destination) }
        return notices
    }
}

/// The bitrate of a picture that several destinations share, in kbit/s.
///
/// The slowest viewer decides, but it lowers the bitrate to no less than half of what the best destination takes. A
/// line that is slower than that does not spoil the recording or the stream of the others: its own queue drops pictures
/// instead.
package struct SharedBitrate: Equatable, Sendable {
    package let bitrate: Int
    /// True if the slowest destination cannot take `bitrate`.
    package let exceedsSlowest: Bool

    /// - Parameters:
    ///   - slowest: what the slowest viewer takes.
    ///   - best: what the best destination takes, at least `slowest`.
    package init(slowest: Int, best: Int) {
        bitrate = max(slowest, best / 2)
        exceedsSlowest = bitrate > slowest
    }
}
