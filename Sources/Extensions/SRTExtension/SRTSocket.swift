import CSRT
import Glibc
import Media

/// A libsrt socket in live mode. No call blocks. The socket is closed when the value is destroyed.
package struct SRTSocket: ~Copyable {
    private let handle: SRTSOCKET

    /// Starts to connect to `peer`. `isConnected` returns the result.
    init(_ settings: SRTSettings, calling peer: SRTPeerAddress) throws(SRTFailure) {
        handle = csrt_create_socket()
        guard handle != SRT_INVALID_SOCK else { throw .unreachable("a socket cannot be created") }
        try configure(settings)
        try bind(settings)
        try call(peer)
    }

    /// Starts to listen on `address`. `accept` returns the receivers.
    package init(_ settings: SRTSettings, listeningOn address: SRTPeerAddress) throws(SRTFailure) {
        handle = csrt_create_socket()
        guard handle != SRT_INVALID_SOCK else { throw .unreachable("a socket cannot be created") }
        try configure(settings)
        // "::" also receives IPv4, unless the user chose IPv6.
        if address.isIPv6 { try set(SRTO_IPV6ONLY, Int32(settings.ipVersion == 6 ? 1 : 0)) }
        let bound = address.bytes.withUnsafeBytes {
            csrt_bind(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), Int32($0.count))
        }
        guard bound != SRT_ERROR, csrt_listen(handle, 4) != SRT_ERROR else {
            throw .unreachable(
                "port \(settings.port) cannot be used to listen: \(String(cString: csrt_getlasterror_str()))")
        }
    }

    private init(accepted handle: SRTSOCKET) {
        self.handle = handle
    }

    deinit {
        csrt_close(handle)
    }

    /// The name of libsrt, if it cannot be opened.
    static var missingLibrary: String? { csrt_open() ? nil : String(cString: csrt_name) }

    /// Initialises libsrt, which must not be missing. Call it before any other use. It disables libsrt's log, because
    /// the log only repeats errors that this program reports.
    ///
    /// libsrt's threads end before the process does (srt_cleanup, libsrt API). Otherwise its thread "SRT:GC" could use
    /// static variables that `exit` has already destroyed, and the process would crash at its end.
    package static func startUp() { _ = isStarted }

    private static let isStarted: Bool = {
        guard csrt_open() else { return false }
        csrt_startup()
        csrt_setloglevel(LOG_EMERG)
        // Registered after libsrt's own static variables, so it runs before their destructors.
        atexit { csrt_cleanup() }
        return true
    }()

    /// True if the peer accepted the connection, false while it is pending. Throws if the connection failed.
    var isConnected: Bool {
        get throws(SRTFailure) {
            switch csrt_getsockstate(handle) {
            case SRTS_CONNECTED: return true
            case SRTS_INIT, SRTS_OPENED, SRTS_CONNECTING: return false
            default: throw .rejection(csrt_getrejectreason(handle))
            }
        }
    }

    /// Returns the next receiver that has connected to a listening socket; nil if no receiver waits.
    ///
    /// - Parameter streamID: the stream ID that receivers must send, or empty to accept all.
    package func accept(streamID: String) -> SRTSocket? {
        let accepted = csrt_accept(handle)
        guard accepted != SRT_INVALID_SOCK else { return nil }
        let socket = SRTSocket(accepted: accepted)
        guard streamID.isEmpty || socket.streamID == streamID else { return nil }
        return socket
    }

    /// The stream ID that the peer sent.
    private var streamID: String {
        var bytes = [UInt8](repeating: 0, count: 513)
        var count = Int32(bytes.count)
        guard csrt_getsockflag(handle, SRTO_STREAMID, &bytes, &count) == 0 else { return "" }
        return String(decoding: bytes.prefix(Int(count)).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Sends one packet of at most `SRTSettings.payloadByteCount` bytes. Returns false if the send buffer is full.
    func send(_ bytes: ArraySlice<UInt8>) throws(SRTFailure) -> Bool {
        let count = bytes.withUnsafeBytes {
            csrt_send(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        if count != SRT_ERROR { return true }
        if csrt_getlasterror() == Int32(SRT_EASYNCSND.rawValue) { return false }
        throw .lost
    }

    /// The number of bytes that the peer has not acknowledged. Throws if the connection is broken.
    var waitingByteCount: Int {
        get throws(SRTFailure) {
            var packets = 0
            var bytes = 0
            guard csrt_getsockstate(handle) == SRTS_CONNECTED, csrt_getsndbuffer(handle, &packets, &bytes) >= 0 else {
                throw .lost
            }
            return bytes
        }
    }

    /// Limits everything that libsrt sends, also what it sends again, to a little more than the line takes: on a narrow
    /// line, packets that are sent again at once are lost again. Nil for no limit.
    ///
    /// - Parameter ceiling: what the line takes in kbit/s.
    func limitBandwidth(_ ceiling: Int?) {
        // Bytes per second (SRTO_MAXBW; -1: infinite).
        try? set(SRTO_MAXBW, ceiling.map { Int64($0) * 1000 / 8 * 115 / 100 } ?? -1)
    }

    /// Returns the counters of the connection; nil if it is broken.
    ///
    /// - Parameter backlog: the media that waits in the sender.
    func reading(backlog: MediaTime) -> LinkRate.Reading? {
        var statistics = SRT_TRACEBSTATS()
        guard csrt_bistats(handle, &statistics, 0, 1) == 0 else { return nil }
        return LinkRate.Reading(
            packets: Int(statistics.pktSentTotal), lost: Int(statistics.pktSndLossTotal),
            bytes: Int(statistics.byteSentTotal),
            roundTrip: statistics.msRTT, backlog: backlog)
    }

    private func configure(_ settings: SRTSettings) throws(SRTFailure) {
        try set(SRTO_TRANSTYPE, Int32(SRTT_LIVE.rawValue))
        // Both options are required: the second one controls connecting.
        try set(SRTO_SNDSYN, false)
        try set(SRTO_RCVSYN, false)
        try set(SRTO_CONNTIMEO, settings.connectTimeout)
        try set(SRTO_LATENCY, settings.latency)
        // The sender drops nothing, because libsrt would drop sound and pictures alike.
        try set(SRTO_SNDDROPDELAY, Int32(-1))
        if !settings.streamID.isEmpty && settings.mode == .caller { try set(SRTO_STREAMID, settings.streamID) }
        try set(settings.options)
        guard !settings.passphrase.isEmpty else { return }
        try set(SRTO_PASSPHRASE, settings.passphrase)
        if settings.keyLength > 0 { try set(SRTO_PBKEYLEN, settings.keyLength) }
    }

    private func set(_ options: SRTOptions) throws(SRTFailure) {
        if let value = options.maximumBandwidth { try set(SRTO_MAXBW, value) }
        if let value = options.inputBandwidth { try set(SRTO_INPUTBW, value) }
        if let value = options.overhead { try set(SRTO_OHEADBW, value) }
        if let value = options.typeOfService { try set(SRTO_IPTOS, value) }
        if let value = options.timeToLive { try set(SRTO_IPTTL, value) }
        if let value = options.segmentSize { try set(SRTO_MSS, value) }
        if let value = options.enforcesEncryption { try set(SRTO_ENFORCEDENCRYPTION, value) }
    }

    /// Chooses the local end of a caller's packets.
    private func bind(_ settings: SRTSettings) throws(SRTFailure) {
        if let interface = settings.interface {
            let bytes = Array(interface.utf8)
            let code = bytes.withUnsafeBytes {
                csrt_setsockflag(handle, SRTO_BINDTODEVICE, $0.baseAddress, Int32($0.count))
            }
            guard code == 0 else {
                throw .refused(
                    code: 400, "the interface \(interface) cannot be used: give an IP address of this machine")
            }
        }
        guard let local = settings.localAddress else { return }
        let wrong = SRTFailure.unreachable("packets cannot be sent from the address \(local)")
        guard let address = try SRTPeerAddress.all(host: local, port: "0").first else { throw wrong }
        let bound = address.bytes.withUnsafeBytes {
            csrt_bind(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), Int32($0.count))
        }
        guard bound != SRT_ERROR else { throw wrong }
    }

    private func call(_ peer: SRTPeerAddress) throws(SRTFailure) {
        let code = peer.bytes.withUnsafeBytes {
            csrt_connect(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), Int32($0.count))
        }
        guard code != SRT_ERROR else { throw .unreachable("the connection cannot be started") }
    }

    private func set<Value: BitwiseCopyable>(_ option: SRT_SOCKOPT, _ value: Value) throws(SRTFailure) {
        var value = value
        let code = withUnsafeBytes(of: &value) { csrt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt rejects option \(option.rawValue)") }
    }

    private func set(_ option: SRT_SOCKOPT, _ text: String) throws(SRTFailure) {
        let bytes = Array(text.utf8)
        let code = bytes.withUnsafeBytes { csrt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt rejects option \(option.rawValue)") }
    }
}
