import Bitstream

/// The tracks of a connection.
package struct OfferedMedia: Equatable, Sendable {
    /// `profile-level-id` of the pictures (RFC 6184, 8.1): six hexadecimal digits. Nil without pictures.
    package var profileLevel: String?
    package var hasSound: Bool

    package init(profileLevel: String?, hasSound: Bool) {
        (self.profileLevel, self.hasSound) = (profileLevel, hasSound)
    }
}

/// The session description that this side offers (RFC 8866, RFC 8829, RFC 9725).
struct SessionOffer {
    static let videoType: UInt8 = 96
    static let retransmissionType: UInt8 = 97
    /// The feedback on pictures that is used: lost packets, and requests for a keyframe (RFC 4585, RFC 5104).
    static let pictureFeedback = ["nack", "nack pli", "ccm fir"]
    /// When packets arrived (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    static let transportFeedback = "transport-cc"
    /// What the receiver estimates, if it does not report arrivals (draft-alvestrand-rmcat-remb-03). It needs the send
    /// time of each packet.
    static let limitFeedback = "goog-remb"
    static let soundType: UInt8 = 111
    static let videoMID = "0"
    static let soundMID = "1"
    static let extensions = RTPPacket.Extensions(mid: 1, transportSequence: 2, sendTime: 3)
    static let midURI = "urn:ietf:params:rtp-hdrext:sdes:mid"
    static let transportSequenceURI =
        "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
    static let sendTimeURI = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
    /// How long a receiver may hold pictures. It is not offered to a server, which would need it for lip sync.
    static let playoutDelayURI = "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"

    let media: OfferedMedia
    let credentials: ICEAgent.Credentials
    let fingerprint: String
    let candidates: [TransportAddress]
    /// Nil without such a track.
    let video: RTPStream?
    let sound: RTPStream?

    var text: String {
        var lines = [
            "v=0", "o=- \(UInt32.random(in: 1...UInt32.max)) 1 IN IP4 127.0.0.1", "s=-", "t=0 0",
            "a=group:BUNDLE \([video?.mid, sound?.mid].compactMap { $0 }.joined(separator: " "))",
            "a=msid-semantic: WMS *",
        ]
        if let video, let profile = media.profileLevel {
            let type = Self.videoType
            lines.append("m=video 9 UDP/TLS/RTP/SAVPF \(type) \(Self.retransmissionType)")
            lines += common(mid: video.mid, track: "screen")
            lines += Self.pictureFormat(
                type, profileLevel: profile,
                feedback: Self.pictureFeedback + [Self.transportFeedback, Self.limitFeedback],
                retransmissionType: Self.retransmissionType)
            lines += Self.sources(of: video)
        }
        if let sound {
            lines.append("m=audio 9 UDP/TLS/RTP/SAVPF \(Self.soundType)")
            lines += common(mid: sound.mid, track: "mixed")
            lines +=
                Self.soundFormat(Self.soundType, feedback: [Self.transportFeedback]) + Self.sources(of: sound)
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    /// The lines of the format of pictures (RFC 6184, 8.2.1; RFC 4585, 4.2; RFC 4588, 8.6).
    ///
    /// - Parameter retransmissionType: nil if lost packets are sent again as they were.
    static func pictureFormat(
        _ type: UInt8, profileLevel: String, feedback: [String], retransmissionType: UInt8?
    ) -> [String] {
        var lines = [
            "a=rtpmap:\(type) H264/90000",
            "a=fmtp:\(type) level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=\(profileLevel)",
        ]
        lines += feedback.map { "a=rtcp-fb:\(type) \($0)" }
        if let retransmissionType {
            lines += ["a=rtpmap:\(retransmissionType) rtx/90000", "a=fmtp:\(retransmissionType) apt=\(type)"]
        }
        return lines
    }

    /// The lines of the format of sound (RFC 7587, 7).
    static func soundFormat(_ type: UInt8, feedback: [String]) -> [String] {
        [
            "a=rtpmap:\(type) opus/48000/2", "a=fmtp:\(type) minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1",
        ] + feedback.map { "a=rtcp-fb:\(type) \($0)" }
    }

    private func common(mid: String, track: String) -> [String] {
        [
            "c=IN IP4 0.0.0.0", "a=rtcp-mux", "a=rtcp-rsize", "a=ice-ufrag:\(credentials.fragment)",
            "a=ice-pwd:\(credentials.password)", "a=fingerprint:sha-256 \(fingerprint)", "a=setup:actpass",
            "a=sendonly", "a=mid:\(mid)", "a=msid:broadcast \(track)",
            "a=extmap:\(Self.extensions.mid ?? 0) \(Self.midURI)",
            "a=extmap:\(Self.extensions.transportSequence ?? 0) \(Self.transportSequenceURI)",
            "a=extmap:\(Self.extensions.sendTime ?? 0) \(Self.sendTimeURI)",
        ] + Self.lines(of: candidates)
    }

    /// The sources of a track.
    static func sources(of stream: RTPStream) -> [String] {
        let own = "a=ssrc:\(stream.source) cname:broadcast"
        guard let retransmission = stream.retransmission?.source else { return [own] }
        // Chromium takes the first source for the one of the pictures.
        return [
            "a=ssrc-group:FID \(stream.source) \(retransmission)", own, "a=ssrc:\(retransmission) cname:broadcast",
        ]
    }

    /// Candidates of this machine, and that there are no others.
    static func lines(of candidates: [TransportAddress]) -> [String] {
        candidates.enumerated().map { index, address in
            // The priority of a host candidate (RFC 8445, 5.1.2.1).
            let priority = UInt32(126) << 24 | UInt32(65_535 - index) << 8 | 255
            return "a=candidate:\(index + 1) 1 udp \(priority) \(address.text) \(address.port) typ host"
        } + ["a=end-of-candidates"]
    }
}

extension AVCDecoderConfigurationRecord {
    /// The `profile-level-id` of the stream: six hexadecimal digits (RFC 6184, 8.1).
    package var profileLevel: String {
        let digits = Array("0123456789abcdef")
        return sequenceParameterSet.dropFirst().prefix(3).map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
            .joined()
    }
}
