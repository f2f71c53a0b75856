import Destinations
import Encode
import Media

/// Fits the bitrate of each rendition to the slowest of its live destinations.
struct BitrateFitter {
    /// kbit/s.
    private let audioBitrate: Int
    /// The controller of each destination. It continues after a pause and after an outage.
    private var controllers: [ObjectIdentifier: CongestionController] = [:]

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
    mutating func fit(_ renditions: [Rendition], to members: [SessionDestinations.Member], at now: MediaTime) -> [SessionNotice] {
        let present = Set(members.map { ObjectIdentifier($0.destination) })
        controllers = controllers.filter { present.contains($0.key) }
        let votes = members.compactMap { vote(of: $0, at: now) }
        return renditions.compactMap { rendition in
            fit(rendition, to: votes.filter { $0.rendition === rendition }, members.filter { $0.rendition === rendition })
        }
    }

    /// Returns the bitrate that suits a destination; nil if it does not know one now.
    private mutating func vote(of member: SessionDestinations.Member, at now: MediaTime) -> Vote? {
        let destination = member.destination
        guard destination.plan.isLive, destination.state == .live, let rendition = member.rendition, let wanted = rendition.wantedBitrate
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
    private func fit(_ rendition: Rendition, to votes: [Vote], _ members: [SessionDestinations.Member]) -> SessionNotice? {
        guard let wanted = rendition.wantedBitrate, let before = rendition.bitrate else { return nil }
        let slowest = votes.min { $0.bitrate < $1.bitrate }
        let hasViewers = members.contains { $0.destination.plan.isLive && !$0.destination.state.isOver }
        // Without a vote, the bitrate does not change.
        guard let bitrate = slowest?.bitrate ?? (hasViewers ? nil : wanted), bitrate != before else { return nil }
        rendition.setBitrate(bitrate)
        if bitrate < before, before == wanted, let name = slowest?.destination {
            return .bitrateLowered(destination: name, from: wanted, to: bitrate)
        }
        return bitrate == wanted ? .bitrateRestored(wanted) : nil
    }
}
