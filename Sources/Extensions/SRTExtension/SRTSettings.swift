import BroadcastExtension

/// The settings of the extension. A setting with its own key overrides the parameter in the address.
package struct SRTSettings: Equatable {
    /// Which side opens the connection.
    package enum Mode: Equatable {
        /// This program calls a server.
        case caller
        /// This program waits for a receiver.
        case listener
    }

    package var mode: Mode
    /// For a listener: the address to listen on, or empty for all addresses.
    package var host: String
    package var port: String
    /// At most 512 bytes. Empty for no stream ID. A listener rejects receivers with another one.
    package var streamID: String
    /// 10 to 79 bytes. If empty, the stream is not encrypted.
    package var passphrase: String
    /// The length in bytes of the encryption key, which is derived from the passphrase. With 0, the peer decides.
    package var keyLength: Int32
    /// The time in milliseconds for which the receiver delays packets, so that lost packets can be sent again.
    package var latency: Int32
    /// Milliseconds until a call counts as unanswered.
    package var connectTimeout: Int32
    /// The maximum size of a packet in bytes, a multiple of 188.
    package var payloadByteCount: Int
    /// Options that libsrt gets unchanged.
    package var options = SRTOptions()
    /// The IP address that a caller's packets come from; nil for the system's choice.
    package var localAddress: String?
    /// The network interface that packets leave through; nil for the system's choice.
    package var interface: String?
    /// Restricts the addresses of the server to IP version 4 or 6.
    package var ipVersion: Int?
    /// The parameters of the address that have no effect here.
    package var ineffectiveKeys: [String]

    /// Throws a `BroadcastFailure` with the code 400 if a setting is missing or invalid.
    ///
    /// - Parameter setup: the answers to the manifest's questions.
    package init(setup: [String: String]) throws(BroadcastFailure) {
        let setup = setup.filter { !$0.value.isEmpty }
        guard let url = setup["url"] else {
            throw Self.wrong("url", "an address is required: broadcast setup srt, or --to srt://HOST:PORT")
        }
        let address: SRTAddress
        do throws(SRTAddress.Problem) {
            address = try SRTAddress(url)
        } catch {
            throw Self.wrong("url", error.sentence)
        }
        ineffectiveKeys = address.ineffectiveKeys
        let values = Values(address.parameters)
        mode = try Self.mode(of: address)
        host = address.host
        port = address.port
        streamID = setup["stream-id"] ?? address.parameters[.streamid] ?? ""
        passphrase = setup["passphrase"] ?? address.parameters[.passphrase] ?? ""
        guard streamID.utf8.count <= 512 else { throw Self.wrong("stream-id", "this may have at most 512 bytes") }
        guard passphrase.isEmpty || (10...79).contains(passphrase.utf8.count) else {
            throw Self.wrong("passphrase", "this must have 10 to 79 characters")
        }
        latency = try Self.latency(setup: setup["latency"], address: values)
        guard let keyLength = Int32(setup["pbkeylen"] ?? address.parameters[.pbkeylen] ?? "0"),
            [0, 16, 24, 32].contains(keyLength)
        else {
            throw Self.wrong("pbkeylen", "this must be 16, 24 or 32")
        }
        self.keyLength = keyLength
        connectTimeout = Int32(try values.number(.connectTimeout, "connect_timeout", in: 100...60_000) ?? 3000)
        // Seven transport stream packets fit into a datagram (ISO/IEC 13818-1 packets have 188 bytes).
        payloadByteCount = min(7, (try values.number(.payloadSize, "pkt_size", in: 188...65_536) ?? 1316) / 188) * 188
        for (parameter, only) in [(SRTParameter.transtype, "live"), (.smoother, "live")] {
            guard address.parameters[parameter] ?? only == only else {
                throw Self.wrong(parameter.rawValue, "only \(only) is supported")
            }
        }
        options = try SRTOptions(values)
        try setRoute(bind: setup["bind"] ?? address.parameters[.adapter], version: setup["ip-version"])
    }

    private mutating func setRoute(bind: String?, version: String?) throws(BroadcastFailure) {
        if let bind {
            guard mode == .caller else {
                throw Self.wrong("bind", "a listener has its address in url: srt://ADDRESS:PORT?mode=listener")
            }
            if SRTPeerAddress.isNumeric(bind) { localAddress = bind } else { interface = bind }
        }
        guard let version else { return }
        guard let number = Int(version), [4, 6].contains(number) else {
            throw Self.wrong("ip-version", "this must be 4 or 6")
        }
        ipVersion = number
    }

    /// Returns true if `address` has the chosen version of IP, or that of the local address.
    func canReach(_ address: SRTPeerAddress) -> Bool {
        let version = ipVersion ?? localAddress.map { $0.contains(":") ? 6 : 4 }
        return version == nil || (version == 6) == address.isIPv6
    }

    private static func mode(of address: SRTAddress) throws(BroadcastFailure) -> Mode {
        switch address.parameters[.mode] {
        case "listener": return .listener
        case "caller", "client", nil:
            // srt-live-transmit listens if the address has no host.
            if address.host.isEmpty && address.parameters[.mode] == nil { return .listener }
            guard !address.host.isEmpty else { throw wrong("url", "a host is required: srt://HOST:PORT") }
            return .caller
        case "server": return .listener
        default: throw wrong("url", "only mode=caller and mode=listener are supported")
        }
    }

    /// Returns the longest of the latencies in milliseconds. FFmpeg and OBS use microseconds, so a value above 10000
    /// counts as microseconds.
    private static func latency(setup: String?, address: Values) throws(BroadcastFailure) -> Int32 {
        func milliseconds(_ text: String, _ key: String) throws(BroadcastFailure) -> Int32 {
            switch Int(text) {
            case .some(let number) where (0...10_000).contains(number): return Int32(number)
            case .some(let number) where (10_001...10_000_000).contains(number): return Int32(number / 1000)
            default:
                throw wrong(
                    key,
                    "this must be milliseconds, from 0 to 10000; a larger number is read as microseconds, as in FFmpeg and OBS"
                )
            }
        }
        if let setup { return try milliseconds(setup, "latency") }
        var longest: Int32?
        for parameter in [SRTParameter.latency, .rcvlatency, .peerlatency] {
            guard let text = address[parameter] else { continue }
            longest = max(longest ?? 0, try milliseconds(text, parameter.rawValue))
        }
        return longest ?? 120
    }

    static func wrong(_ key: String, _ problem: String) -> BroadcastFailure {
        BroadcastFailure(code: 400, message: "\(key): \(problem)")
    }

    /// The parameters of an address.
    struct Values {
        private let parameters: [SRTParameter: String]

        init(_ parameters: [SRTParameter: String]) {
            self.parameters = parameters
        }

        subscript(parameter: SRTParameter) -> String? { parameters[parameter] }

        /// Returns nil if the parameter is not set.
        func number(_ parameter: SRTParameter, _ key: String, in range: ClosedRange<Int>) throws(BroadcastFailure)
            -> Int?
        {
            guard let text = parameters[parameter] else { return nil }
            guard let number = Int(text), range.contains(number) else {
                let limit =
                    range.upperBound == .max
                    ? "\(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
                throw wrong(key, "this must be a number, \(limit)")
            }
            return number
        }
    }
}

/// Parameters of an address that libsrt gets unchanged; nil is libsrt's own value.
package struct SRTOptions: Equatable {
    /// Bytes per second; -1 is unlimited, 0 follows `inputBandwidth` or the measured rate.
    package var maximumBandwidth: Int64?
    /// Bytes per second.
    package var inputBandwidth: Int64?
    /// Percent of the rate that retransmissions may add.
    package var overhead: Int32?
    package var typeOfService: Int32?
    package var timeToLive: Int32?
    /// Bytes of a datagram with its IP and UDP headers.
    package var segmentSize: Int32?
    package var enforcesEncryption: Bool?

    init() {}

    init(_ values: SRTSettings.Values) throws(BroadcastFailure) {
        maximumBandwidth = try values.number(.maxbw, "maxbw", in: -1 ... .max).map { Int64($0) }
        inputBandwidth = try values.number(.inputbw, "inputbw", in: 0 ... .max).map { Int64($0) }
        overhead = try values.number(.oheadbw, "oheadbw", in: 5...100).map { Int32($0) }
        typeOfService = try values.number(.iptos, "iptos", in: 0...255).map { Int32($0) }
        timeToLive = try values.number(.ipttl, "ipttl", in: 1...255).map { Int32($0) }
        segmentSize = try values.number(.mss, "mss", in: 1360...65_536).map { Int32($0) }
        switch values[.enforcedEncryption] {
        case nil: break
        case "1", "true", "yes": enforcesEncryption = true
        case "0", "false", "no": enforcesEncryption = false
        default: throw SRTSettings.wrong("enforced_encryption", "this must be 1 or 0")
        }
    }
}
