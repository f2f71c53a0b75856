import CSRT
import Glibc

/// A libsrt socket in caller and live mode. No call blocks. The socket is closed when the value is destroyed.
struct SRTSocket: ~Copyable {
    /// The payload of one packet in bytes: seven transport stream packets.
    static let payloadByteCount = 1316
    private static let connectTimeout: Int32 = 3000

    private let handle: SRTSOCKET

    /// Starts to connect to `peer`. `isConnected` returns the result.
    init(_ settings: SRTSettings, calling peer: SRTPeerAddress) throws(SRTFailure) {
        handle = srt_create_socket()
        guard handle != SRT_INVALID_SOCK else { throw .unreachable("a socket cannot be created") }
        try configure(settings)
        try call(peer)
    }

    deinit {
        srt_close(handle)
    }

    /// Initialises libsrt. Call it before any other use. It disables libsrt's log, because the log only repeats errors
    /// that this program reports.
    static func startUp() {
        srt_startup()
        srt_setloglevel(LOG_EMERG)
    }

    /// True if the peer accepted the connection, false while it is pending. Throws if the connection failed.
    var isConnected: Bool {
        get throws(SRTFailure) {
            switch srt_getsockstate(handle) {
            case SRTS_CONNECTED: return true
            case SRTS_INIT, SRTS_OPENED, SRTS_CONNECTING: return false
            default: throw .rejection(srt_getrejectreason(handle))
            }
        }
    }

    /// Sends one packet of at most `payloadByteCount` bytes. Returns false if the send buffer is full.
    func send(_ bytes: ArraySlice<UInt8>) throws(SRTFailure) -> Bool {
        let count = bytes.withUnsafeBytes { srt_send(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count)) }
        if count != SRT_ERROR { return true }
        if srt_getlasterror(nil) == Int32(SRT_EASYNCSND.rawValue) { return false }
        throw .unreachable("the connection was lost")
    }

    /// The number of bytes that the peer has not acknowledged. Throws if the connection is broken.
    var waitingByteCount: Int {
        get throws(SRTFailure) {
            var packets = 0
            var bytes = 0
            guard srt_getsockstate(handle) == SRTS_CONNECTED, srt_getsndbuffer(handle, &packets, &bytes) >= 0 else {
                throw .unreachable("the connection was lost")
            }
            return bytes
        }
    }

    private func configure(_ settings: SRTSettings) throws(SRTFailure) {
        try set(SRTO_TRANSTYPE, Int32(SRTT_LIVE.rawValue))
        // Both options are required: the second one controls connecting.
        try set(SRTO_SNDSYN, false)
        try set(SRTO_RCVSYN, false)
        try set(SRTO_CONNTIMEO, Self.connectTimeout)
        try set(SRTO_LATENCY, settings.latency)
        // The sender drops nothing, because libsrt would drop sound and pictures alike.
        try set(SRTO_SNDDROPDELAY, Int32(-1))
        if !settings.streamID.isEmpty { try set(SRTO_STREAMID, settings.streamID) }
        guard !settings.passphrase.isEmpty else { return }
        try set(SRTO_PASSPHRASE, settings.passphrase)
        if settings.keyLength > 0 { try set(SRTO_PBKEYLEN, settings.keyLength) }
    }

    private func call(_ peer: SRTPeerAddress) throws(SRTFailure) {
        let code = peer.bytes.withUnsafeBytes { srt_connect(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), Int32($0.count)) }
        guard code != SRT_ERROR else { throw .unreachable("the connection cannot be started") }
    }

    private func set<Value: BitwiseCopyable>(_ option: SRT_SOCKOPT, _ value: Value) throws(SRTFailure) {
        var value = value
        let code = withUnsafeBytes(of: &value) { srt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt rejects option \(option.rawValue)") }
    }

    private func set(_ option: SRT_SOCKOPT, _ text: String) throws(SRTFailure) {
        let bytes = Array(text.utf8)
        let code = bytes.withUnsafeBytes { srt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt rejects option \(option.rawValue)") }
    }
}
