/// A parameter of an SRT address.
enum SRTParameter: String, CaseIterable {
    case mode, streamid, passphrase, pbkeylen
    /// Milliseconds.
    case latency, rcvlatency, peerlatency
    /// Milliseconds.
    case connectTimeout
    /// Bytes.
    case payloadSize
    /// Bytes per second.
    case maxbw, inputbw
    /// Percent.
    case oheadbw
    case iptos, ipttl, mss
    /// An IP address of this machine.
    case adapter
    case enforcedEncryption
    case transtype, smoother
    /// Parameters that have no effect: this program sets them itself, or they only concern receivers.
    case ineffective

    /// Returns nil if no known program uses this key.
    init?(key: String) {
        switch key {
        case "srt_streamid": self = .streamid
        case "connect_timeout", "conntimeo": self = .connectTimeout
        case "pkt_size", "payload_size", "payloadsize": self = .payloadSize
        case "tos": self = .iptos
        case "ttl": self = .ipttl
        case "enforced_encryption", "enforcedencryption": self = .enforcedEncryption
        case "congestion": self = .smoother
        case _ where Self.ineffectiveKeys.contains(key): self = .ineffective
        default:
            guard let parameter = SRTParameter(rawValue: key), !Self.ownSpellings.contains(parameter) else {
                return nil
            }
            self = parameter
        }
    }

    /// Cases whose raw value is not a key.
    private static let ownSpellings: Set<SRTParameter> = [
        .connectTimeout, .payloadSize, .enforcedEncryption, .ineffective,
    ]

    /// From the lists of libavformat, OBS and srt-live-transmit.
    private static let ineffectiveKeys: Set<String> = [
        "buffer_size", "drifttracer", "fc", "ffs", "kmpreannounce", "kmrefreshrate", "linger", "listen_timeout",
        "lossmaxttl",
        "messageapi", "minversion", "nakreport", "peeridletimeo", "rcvbuf", "recv_buffer_size", "retransmitalgo",
        "send_buffer_size",
        "sndbuf", "snddropdelay", "timeout", "tlpktdrop", "tsbpd", "tsbpddelay", "tsbpdmode",
    ]
}
