/// The session description with which this side answers an offer (RFC 8829, 5.3.1): it sends what was chosen, and
/// rejects the rest.
struct SessionAnswer {
    let peer: PeerDescription
    let credentials: ICEAgent.Credentials
    let fingerprint: String
    let candidates: [TransportAddress]
    /// Nil without such a track.
    let video: RTPStream?
    let sound: RTPStream?

    var text: String {
        let taken = [peer.video, peer.sound].compactMap { $0 }.sorted { $0.section < $1.section }
        let mids = taken.map(\.mid).filter { !$0.isEmpty }
        var lines = [
            "v=0", "o=- \(UInt32.random(in: 1...UInt32.max)) 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=ice-lite",
        ]
        if !mids.isEmpty { lines.append("a=group:BUNDLE \(mids.joined(separator: " "))") }
        lines.append("a=msid-semantic: WMS *")
        for (index, section) in peer.sections.enumerated() {
            if let track = taken.first(where: { $0.section == index }) {
                lines += section.kind == "video" ? videoLines(track, section) : soundLines(track, section)
            } else {
                lines += ["m=\(section.kind) 0 \(section.transport) \(section.payloadType)", "c=IN IP4 0.0.0.0"]
                if !section.mid.isEmpty { lines.append("a=mid:\(section.mid)") }
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private func videoLines(_ track: PeerDescription.Track, _ section: PeerDescription.Section) -> [String] {
        let type = track.payloadType
        let types = [type, track.retransmissionType].compactMap { $0.map(String.init) }.joined(separator: " ")
        var lines = ["m=video 9 \(section.transport) \(types)"] + common(track, name: "screen")
        lines += SessionOffer.pictureFormat(
            type, profileLevel: track.profileLevel ?? "", feedback: track.feedback,
            retransmissionType: track.retransmissionType)
        if let video { lines += SessionOffer.sources(of: video) }
        return lines
    }

    private func soundLines(_ track: PeerDescription.Track, _ section: PeerDescription.Section) -> [String] {
        let type = track.payloadType
        var lines = ["m=audio 9 \(section.transport) \(type)"] + common(track, name: "mixed")
        lines += SessionOffer.soundFormat(type, feedback: track.feedback)
        if let sound { lines += SessionOffer.sources(of: sound) }
        return lines
    }

    private func common(_ track: PeerDescription.Track, name: String) -> [String] {
        let extensions = [
            (track.extensions.mid, SessionOffer.midURI),
            (track.extensions.transportSequence, SessionOffer.transportSequenceURI),
            (track.extensions.sendTime, SessionOffer.sendTimeURI),
            (track.extensions.playoutDelay, SessionOffer.playoutDelayURI),
        ]
        return [
            "c=IN IP4 0.0.0.0", "a=rtcp-mux", "a=rtcp-rsize", "a=ice-ufrag:\(credentials.fragment)",
            "a=ice-pwd:\(credentials.password)", "a=fingerprint:sha-256 \(fingerprint)",
            "a=setup:\(peer.peerIsActive ? "passive" : "active")", "a=sendonly", "a=msid:broadcast \(name)",
        ] + (track.mid.isEmpty ? [] : ["a=mid:\(track.mid)"])
            + extensions.compactMap { identifier, uri in identifier.map { "a=extmap:\($0) \(uri)" } }
            + SessionOffer.lines(of: candidates)
    }
}
