/// What the peer answers to a `SessionOffer`.
package struct SessionAnswer: Equatable {
    private static let longest = 64 << 10
    private static let mostLines = 2000

    package var credentials: ICEAgent.Credentials
    /// SHA-256, as in the description.
    package var fingerprint: String
    /// True if the peer begins the handshake.
    package var peerIsActive: Bool
    package var candidates: [TransportAddress]
    package var takesVideo: Bool
    package var takesSound: Bool
    package var hasRetransmission: Bool
    /// What the packets of each track may have: a number that the peer does not report on would count as lost.
    package var videoExtensions: RTPPacket.Extensions
    package var soundExtensions: RTPPacket.Extensions

    /// True if the peer reports when pictures arrive.
    package var hasTransportFeedback: Bool { videoExtensions.transportSequence != nil }

    /// Reads a description. Throws `unusableAnswer` with the reason.
    package init(reading text: String) throws(WebRTCError) {
        guard text.utf8.count <= Self.longest else { throw .unusableAnswer("it is too long") }
        let lines = text.split(whereSeparator: \.isNewline).prefix(Self.mostLines)
        var sections: [[Substring]] = [[]]
        for line in lines {
            if line.hasPrefix("m=") { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        let session = sections.removeFirst()
        let accepted = sections.filter { section in
            // Port 0 rejects a track (RFC 3264, section 6).
            section[0].split(separator: " ").dropFirst().first.map { $0 != "0" } ?? false
        }
        func value(_ name: String, of section: [Substring]) -> String? {
            (section + session).first { $0.hasPrefix("a=\(name):") }.map { String($0.dropFirst(name.count + 3)) }
        }
        func section(_ kind: String, taking type: UInt8) -> [Substring]? {
            accepted.first { section in
                let words = section[0].split(separator: " ")
                return words[0] == "m=\(kind)" && words.dropFirst(3).contains(Substring("\(type)"))
            }
        }
        let video = section("video", taking: SessionOffer.videoType)
        let sound = section("audio", taking: SessionOffer.soundType)
        guard let first = accepted.first, video != nil || sound != nil else {
            throw .unusableAnswer("it takes neither H.264 nor Opus")
        }
        takesVideo = video != nil
        takesSound = sound != nil
        guard let fragment = value("ice-ufrag", of: first), let password = value("ice-pwd", of: first),
            (4...256).contains(fragment.utf8.count), (22...256).contains(password.utf8.count)
        else { throw .unusableAnswer("it has no ICE user and password") }
        credentials = ICEAgent.Credentials(fragment: fragment, password: password)
        let prints = (first + session).filter { $0.hasPrefix("a=fingerprint:") }.map {
            $0.dropFirst("a=fingerprint:".count).split(separator: " ")
        }
        guard let print = prints.first(where: { $0.count == 2 && $0[0].lowercased() == "sha-256" }) else {
            throw .unusableAnswer("it has no fingerprint of SHA-256")
        }
        fingerprint = String(print[1])
        switch value("setup", of: first) {
        case "active": peerIsActive = true
        case "passive": peerIsActive = false
        default: throw .unusableAnswer("it does not say who begins the DTLS handshake (a=setup)")
        }
        candidates = accepted.flatMap { $0 }.compactMap(Self.candidate)
        hasRetransmission =
            video?.contains { $0.hasPrefix("a=rtpmap:\(SessionOffer.retransmissionType) rtx/") } ?? false
        func identifier(_ uri: String, in section: [Substring]) -> UInt8? {
            section.lazy.compactMap { line -> UInt8? in
                guard line.hasPrefix("a=extmap:"), line.hasSuffix(" " + uri) else { return nil }
                let digits = line.dropFirst("a=extmap:".count).prefix { $0.isNumber }
                return UInt8(digits).flatMap { (1...14).contains($0) ? $0 : nil }
            }.first
        }
        func extensions(of section: [Substring]?) -> RTPPacket.Extensions {
            guard let section else { return RTPPacket.Extensions() }
            let reports = section.contains { $0.hasPrefix("a=rtcp-fb:") && $0.hasSuffix(" transport-cc") }
            return RTPPacket.Extensions(
                mid: identifier(SessionOffer.midURI, in: section),
                transportSequence: reports ? identifier(SessionOffer.transportSequenceURI, in: section) : nil)
        }
        videoExtensions = extensions(of: video)
        soundExtensions = extensions(of: sound)
    }

    /// A candidate of UDP with an IP address (RFC 8839, 5.1). Names of mDNS are not resolved: a server has none.
    private static func candidate(_ line: Substring) -> TransportAddress? {
        guard line.hasPrefix("a=candidate:") else { return nil }
        let words = line.split(separator: " ")
        guard words.count >= 8, words[1] == "1", words[2].lowercased() == "udp", let port = UInt16(words[5]), port > 0
        else { return nil }
        return TransportAddress(String(words[4]), port: port)
    }
}
