import CSRT
import Glibc

/// A socket of libsrt that calls and sends in live mode; no call of it waits. It is closed with its owner.
struct SRTSocket: ~Copyable {
    /// What one packet holds: seven of a transport stream.
    static let payloadByteCount = 1316
    private static let connectTimeout: Int32 = 3000

    private let handle: SRTSOCKET

    /// Starts to call `peer`. `isConnected` tells how it went.
    init(_ settings: SRTSettings, calling peer: SRTPeerAddress) throws(SRTFailure) {
        handle = srt_create_socket()
        guard handle != SRT_INVALID_SOCK else { throw .unreachable("no socket can be made") }
        try configure(settings)
        try call(peer)
    }

    deinit {
        srt_close(handle)
    }

    /// Asks once before anything else is done with libsrt. Its own log could only repeat what errors say.
    static func startUp() {
        srt_startup()
        srt_setloglevel(LOG_EMERG)
    }

    /// True once the other side has accepted, false while nobody knows; throws where it will not be.
    var isConnected: Bool {
        get throws(SRTFailure) {
            switch srt_getsockstate(handle) {
            case SRTS_CONNECTED: return true
            case SRTS_INIT, SRTS_OPENED, SRTS_CONNECTING: return false
            default: throw .rejection(srt_getrejectreason(handle))
            }
        }
    }

    /// Sends one packet of at most `payloadByteCount` bytes; false where the buffer is full for the moment.
    func send(_ bytes: ArraySlice<UInt8>) throws(SRTFailure) -> Bool {
        let count = bytes.withUnsafeBytes { srt_send(handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count)) }
        if count != SRT_ERROR { return true }
        if srt_getlasterror(nil) == Int32(SRT_EASYNCSND.rawValue) { return false }
        throw .unreachable("the connection broke")
    }

    /// Bytes that the other side has not acknowledged; throws where it never will, as the connection is gone.
    var waitingByteCount: Int {
        get throws(SRTFailure) {
            var packets = 0
            var bytes = 0
            guard srt_getsockstate(handle) == SRTS_CONNECTED, srt_getsndbuffer(handle, &packets, &bytes) >= 0 else {
                throw .unreachable("the connection broke")
            }
            return bytes
        }
    }

    private func configure(_ settings: SRTSettings) throws(SRTFailure) {
        try set(SRTO_TRANSTYPE, Int32(SRTT_LIVE.rawValue))
        // Both: the second governs connecting.
        try set(SRTO_SNDSYN, false)
        try set(SRTO_RCVSYN, false)
        try set(SRTO_CONNTIMEO, Self.connectTimeout)
        try set(SRTO_LATENCY, settings.latency)
        // Nothing is dropped on this side: it would be sound as soon as a picture.
        try set(SRTO_SNDDROPDELAY, Int32(-1))
        if !settings.streamID.isEmpty { try set(SRTO_STREAMID, settings.streamID) }
        guard !settings.passphrase.isEmpty else { return }
        try set(SRTO_PASSPHRASE, settings.passphrase)
        if settings.keyLength > 0 { try set(SRTO_PBKEYLEN, settings.keyLength) }
    }

    private func call(_ peer: SRTPeerAddress) throws(SRTFailure) {
        let code = peer.bytes.withUnsafeBytes { srt_connect(handle, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), Int32($0.count)) }
        guard code != SRT_ERROR else { throw .unreachable("it cannot be called") }
    }

    private func set<Value: BitwiseCopyable>(_ option: SRT_SOCKOPT, _ value: Value) throws(SRTFailure) {
        var value = value
        let code = withUnsafeBytes(of: &value) { srt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt does not take option \(option.rawValue)") }
    }

    private func set(_ option: SRT_SOCKOPT, _ text: String) throws(SRTFailure) {
        let bytes = Array(text.utf8)
        let code = bytes.withUnsafeBytes { srt_setsockflag(handle, option, $0.baseAddress, Int32($0.count)) }
        guard code == 0 else { throw .refused(code: 400, "libsrt does not take option \(option.rawValue)") }
    }
}
