/// What the peer's session description says: its answer to a `SessionOffer`, or an offer of its own.
package struct PeerDescription: Equatable {
    /// A track that the peer takes.
    package struct Track: Equatable, Sendable {
        package var payloadType: UInt8
        /// The payload type of retransmissions (RFC 4588); nil if the peer does not take them as such.
        package var retransmissionType: UInt8?
        package var mid: String
        /// `profile-level-id` (RFC 6184, 8.1); nil for sound.
        package var profileLevel: String?
        /// What the packets may have: a number that the peer does not report on would count as lost.
        package var extensions = RTPPacket.Extensions()
        /// The kinds of feedback that an offer has, of those that are used.
        package var feedback: [String] = []
        /// True if the peer prefers that sound is not sent during silence (`usedtx=1`; RFC 7587, section 6.1).
        package var takesPauses = false
        /// Which of the sections it is.
        package var section = 0
    }

    /// A media section of the description.
    package struct Section: Equatable, Sendable {
        /// `video`, `audio` or something else.
        package var kind: String
        package var transport: String
        package var mid: String
        /// The first one of the section, which an answer repeats if it rejects the section.
        package var payloadType: String
    }

    private static let longest = 64 << 10
    private static let mostLines = 2000
    private static let mostSections = 16

    package var credentials: ICEAgent.Credentials
    /// SHA-256, as in the description.
    package var fingerprint: String
    /// True if the peer begins the handshake.
    package var peerIsActive: Bool
    package var candidates: [TransportAddress]
    package var video: Track?
    package var sound: Track?
    /// All sections, in order.
    package var sections: [Section]

    /// True if the peer reports when pictures arrive.
    package var hasTransportFeedback: Bool { video?.extensions.transportSequence != nil }

    /// Reads an answer. Throws `unusableDescription` with the reason.
    package init(answer text: String) throws(WebRTCError) {
        try self.init(
            text,
            video: { lines in
                lines.payloadTypes.contains(SessionOffer.videoType)
                    ? Track(
                        payloadType: SessionOffer.videoType,
                        retransmissionType: lines.has("a=rtpmap:\(SessionOffer.retransmissionType) rtx/")
                            ? SessionOffer.retransmissionType : nil, mid: SessionOffer.videoMID) : nil
            },
            sound: { lines in
                lines.payloadTypes.contains(SessionOffer.soundType)
                    ? Track(payloadType: SessionOffer.soundType, mid: SessionOffer.soundMID) : nil
            })
        guard peerIsActive || setup != "actpass" else { throw Self.noSetup }
    }

    /// Reads an offer, and chooses what is sent. Throws `unusableDescription` with the reason.
    ///
    /// - Parameter media: the tracks that there are.
    package init(offer text: String, for media: OfferedMedia) throws(WebRTCError) {
        try self.init(
            text,
            video: { lines in
                media.profileLevel.flatMap { H264Format.choice(in: lines, profileLevel: $0) }
            },
            sound: { lines in
                guard media.hasSound else { return nil }
                return lines.payloadTypes.first { lines.hasFormat($0, "opus/48000/2") }.map {
                    Track(
                        payloadType: $0, mid: lines.value("mid") ?? "",
                        takesPauses: lines.parameters(of: $0)["usedtx"] == "1")
                }
            })
        // The peer leaves the choice to the answer, which leaves the beginning to the peer (RFC 5763, section 5).
        if setup == "actpass" { peerIsActive = true }
    }

    /// The word after `a=setup:`.
    private var setup: String

    private static let noSetup = WebRTCError.unusableDescription(
        "it does not say who begins the DTLS handshake (a=setup)")

    private init(
        _ text: String, video chooseVideo: (SectionLines) -> Track?, sound chooseSound: (SectionLines) -> Track?
    ) throws(WebRTCError) {
        guard text.utf8.count <= Self.longest else { throw .unusableDescription("it is too long") }
        let lines = text.split(whereSeparator: \.isNewline).prefix(Self.mostLines)
        var parts: [[Substring]] = [[]]
        for line in lines {
            if line.hasPrefix("m=") { parts.append([]) }
            parts[parts.count - 1].append(line)
        }
        let session = SectionLines(parts.removeFirst())
        guard parts.count <= Self.mostSections else { throw .unusableDescription("it has too many tracks") }
        let all = parts.map(SectionLines.init)
        // Port 0 rejects a track (RFC 3264, section 6).
        let open = all.filter { !$0.isRejected }
        func track(_ kind: String, _ choose: (SectionLines) -> Track?) -> Track? {
            for (index, lines) in all.enumerated() where lines.kind == kind && !lines.isRejected {
                guard var track = choose(lines) else { continue }
                track.section = index
                return lines.completed(track)
            }
            return nil
        }
        let (video, sound) = (track("video", chooseVideo), track("audio", chooseSound))
        // All share the transport of the first one (RFC 9143, 7.3).
        guard let first = [video, sound].compactMap({ $0?.section }).min().map({ all[$0] }) else {
            throw .unusableDescription("it takes neither H.264 nor Opus")
        }
        func value(_ name: String) -> String? { first.value(name) ?? session.value(name) }
        guard let fragment = value("ice-ufrag"), let password = value("ice-pwd"),
            (4...256).contains(fragment.utf8.count), (22...256).contains(password.utf8.count)
        else { throw .unusableDescription("it has no ICE user and password") }
        credentials = ICEAgent.Credentials(fragment: fragment, password: password)
        let prints = (first.values("fingerprint") + session.values("fingerprint")).map { $0.split(separator: " ") }
        guard let print = prints.first(where: { $0.count == 2 && $0[0].lowercased() == "sha-256" }) else {
            throw .unusableDescription("it has no fingerprint of SHA-256")
        }
        fingerprint = String(print[1])
        setup = value("setup") ?? ""
        guard ["active", "passive", "actpass"].contains(setup) else { throw Self.noSetup }
        peerIsActive = setup == "active"
        candidates = open.flatMap { $0.values("candidate") }.compactMap(Self.candidate)
        (self.video, self.sound) = (video, sound)
        sections = all.map(\.section)
    }

    /// A candidate of UDP with an IP address (RFC 8839, 5.1). Names of mDNS are not resolved: a server has none, and a
    /// browser is reached where it comes from.
    private static func candidate(_ text: String) -> TransportAddress? {
        let words = text.split(separator: " ")
        guard words.count >= 8, words[1] == "1", words[2].lowercased() == "udp", let port = UInt16(words[5]), port > 0
        else { return nil }
        return TransportAddress(String(words[4]), port: port)
    }
}

/// The lines of a media section of a session description, or those before the first one.
struct SectionLines {
    private let lines: [Substring]
    private let words: [Substring]

    init(_ lines: [Substring]) {
        self.lines = lines
        words = lines.first.map { $0.hasPrefix("m=") ? $0.dropFirst(2).split(separator: " ") : [] } ?? []
    }

    var kind: String { words.first.map(String.init) ?? "" }
    /// A track that this side can send is wanted in this section.
    var isRejected: Bool {
        words.count < 4 || words[1] == "0" || lines.contains("a=inactive")
            || lines.contains("a=sendonly")
                && !lines.contains("a=recvonly")
    }
    var payloadTypes: [UInt8] { words.dropFirst(3).compactMap { UInt8($0) } }

    var section: PeerDescription.Section {
        PeerDescription.Section(
            kind: kind, transport: words.count > 2 ? String(words[2]) : "", mid: value("mid") ?? "",
            payloadType: words.count > 3 ? String(words[3]) : "0")
    }

    func has(_ prefix: String) -> Bool { lines.contains { $0.hasPrefix(prefix) } }

    /// The values of an attribute.
    func values(_ name: String) -> [String] {
        lines.filter { $0.hasPrefix("a=\(name):") }.map { String($0.dropFirst(name.count + 3)) }
    }

    func value(_ name: String) -> String? { values(name).first }

    /// True if a payload type has a format, for example `H264/90000`.
    func hasFormat(_ type: UInt8, _ format: String) -> Bool {
        values("rtpmap").contains { $0.lowercased() == "\(type) \(format.lowercased())" }
    }

    /// The parameters of a payload type (`a=fmtp`), with names in lower case.
    func parameters(of type: UInt8) -> [String: String] {
        let text = values("fmtp").first { $0.hasPrefix("\(type) ") }?.dropFirst("\(type) ".count) ?? ""
        var result: [String: String] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            result[pair[0].drop { $0 == " " }.lowercased()] = pair[1].lowercased()
        }
        return result
    }

    /// A track with the extensions that the peer takes.
    func completed(_ track: PeerDescription.Track) -> PeerDescription.Track {
        func identifier(_ uri: String) -> UInt8? {
            values("extmap").lazy.filter { $0.hasSuffix(" " + uri) }.compactMap { value in
                UInt8(value.prefix { $0.isNumber }).flatMap { (1...14).contains($0) ? $0 : nil }
            }.first
        }
        let offered = Set(values("rtcp-fb"))
        func has(_ feedback: String) -> Bool {
            offered.contains("\(track.payloadType) \(feedback)") || offered.contains("* \(feedback)")
        }
        let reports = has(SessionOffer.transportFeedback)
        var track = track
        track.extensions = RTPPacket.Extensions(
            mid: (1...16).contains(track.mid.utf8.count) ? identifier(SessionOffer.midURI) : nil,
            transportSequence: reports ? identifier(SessionOffer.transportSequenceURI) : nil,
            playoutDelay: identifier(SessionOffer.playoutDelayURI))
        // Only numbered packets are reported on. A receiver that reports needs no estimate of its own.
        if track.extensions.transportSequence == nil, has(SessionOffer.limitFeedback) {
            track.extensions.sendTime = identifier(SessionOffer.sendTimeURI)
        }
        track.feedback =
            (track.profileLevel == nil ? [] : SessionOffer.pictureFeedback.filter(has))
            + (track.extensions.transportSequence == nil ? [] : [SessionOffer.transportFeedback])
            + (track.extensions.sendTime == nil ? [] : [SessionOffer.limitFeedback])
        return track
    }
}

/// Which payload type of an offer can be H.264 of a profile.
enum H264Format {
    /// - Parameter profileLevel: `profile-level-id` of the stream.
    /// - Returns: nil if the peer takes no stream of this profile.
    static func choice(in lines: SectionLines, profileLevel: String) -> PeerDescription.Track? {
        let candidates = lines.payloadTypes.compactMap { type -> (rank: Int, track: PeerDescription.Track)? in
            let parameters = lines.parameters(of: type)
            let offered = parameters["profile-level-id"] ?? "42000a"
            // Only this mode has fragments (RFC 6184, 5.4).
            guard lines.hasFormat(type, "H264/90000"), parameters["packetization-mode"] == "1",
                offered.utf8.count == 6, offered.allSatisfy(\.isHexDigit),
                let rank = rank(of: offered, for: profileLevel)
            else { return nil }
            let retransmission = lines.payloadTypes.first {
                lines.hasFormat($0, "rtx/90000") && lines.parameters(of: $0)["apt"] == "\(type)"
            }
            // The profile of the offer, and the level of the stream (RFC 6184, 8.2.2).
            let level = offered.prefix(4) + profileLevel.suffix(2)
            return (
                rank,
                PeerDescription.Track(
                    payloadType: type, retransmissionType: retransmission, mid: lines.value("mid") ?? "",
                    profileLevel: String(level))
            )
        }
        return candidates.min { $0.rank < $1.rank }?.track
    }

    /// The profiles whose decoders must decode each profile, the nearest one first (Rec. ITU-T H.264, A.2). A decoder
    /// may be chosen by the profile in the description, so a High stream is not offered as Baseline.
    private static let decoders: [String: [String]] = [
        "42": ["42", "4d", "64", "f4"], "4d": ["4d", "64", "f4"], "64": ["64", "f4"], "f4": ["f4"],
    ]

    private static func rank(of offered: String, for stream: String) -> Int? {
        decoders[String(stream.prefix(2)).lowercased()]?.firstIndex(of: String(offered.prefix(2)))
    }
}
