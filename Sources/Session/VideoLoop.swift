import Encode
import Media
import Synchronization
import Threads

/// The video encoder's thread: takes frames from the mailbox, and gives packets to the distributor.
///
/// It owns x264 from opening to closing.
final class VideoLoop: Sendable {
    private let mailbox: FrameMailbox
    private let distributor: Distributor
    private let encoded = Atomic(0)
    private let repeated = Atomic(0)
    private let bytes = Atomic(0)
    private let settled = Atomic(false)
    private let isKeyframeWanted = Atomic(false)
    /// kbit/s; 0 for what the encoder was opened with.
    private let wantedBitrate = Atomic(0)

    init(mailbox: FrameMailbox, distributor: Distributor) {
        self.mailbox = mailbox
        self.distributor = distributor
    }

    /// Frames that x264 coded, repeat pictures, and bytes of both.
    var counts: (encoded: Int, repeated: Int, bytes: Int) {
        (encoded.load(ordering: .relaxed), repeated.load(ordering: .relaxed), bytes.load(ordering: .relaxed))
    }

    /// Whether the last picture needs no more encoding.
    var isSettled: Bool { settled.load(ordering: .relaxed) }

    /// A reader has joined, or can go on again: the next frame is to be an IDR picture.
    func requestKeyframe() {
        isKeyframeWanted.store(true, ordering: .relaxed)
    }

    /// kbit/s from the next frame on.
    func setBitrate(_ kilobits: Int) {
        wantedBitrate.store(kilobits, ordering: .relaxed)
    }

    /// What `setBitrate` was told last.
    var bitrate: Int? {
        let value = wantedBitrate.load(ordering: .relaxed)
        return value == 0 ? nil : value
    }

    /// Starts the thread and opens the encoder on it; gives the stream's format, or nil where nothing is encoded.
    ///
    /// - Parameter settings: nil where every destination takes raw pictures.
    func start(
        settings: VideoSettings?, onFailure: @escaping @Sendable (EncodeError) -> Void
    ) async throws(EncodeError) -> (NamedThread, VideoTrackFormat?) {
        try await NamedThread.open(name: "video encoder") { [self] (opened: (Result<VideoTrackFormat?, EncodeError>) -> Void) in
            let encoder: VideoEncoder?
            do throws(EncodeError) {
                if let settings { encoder = try VideoEncoder(settings: settings) } else { encoder = nil }
            } catch {
                opened(.failure(error))
                return
            }
            opened(.success(encoder?.format))
            do throws(EncodeError) {
                try run(encoder: encoder)
            } catch {
                onFailure(error)
            }
        }
    }

    private func run(encoder: VideoEncoder?) throws(EncodeError) {
        var raw = RawVideoPacketizer()
        var bitrate = 0
        while let item = mailbox.take() {
            if isKeyframeWanted.exchange(false, ordering: .relaxed) { encoder?.requestKeyframe() }
            let wanted = wantedBitrate.load(ordering: .relaxed)
            if wanted != bitrate { encoder?.setBitrate(wanted) }
            bitrate = wanted
            let wantsRaw = !distributor.tracks(raw: true).isEmpty
            let packets: [EncodedPacket]
            let rawPacket: EncodedPacket?
            switch item {
            case .frame(let frame):
                packets = try encoder?.encode(frame) ?? []
                rawPacket = wantsRaw ? raw.packet(for: frame) : nil
            case .unchanged(let time):
                packets = try encoder?.encodeRepeat(at: time) ?? []
                rawPacket = wantsRaw ? raw.repeatPacket(at: time) : nil
            }
            deliver(packets)
            if let rawPacket { distributor.distributeRaw(rawPacket) }
            settled.store(encoder?.isSettled ?? true, ordering: .relaxed)
            if let encoder {
                encoded.store(encoder.encodedFrames, ordering: .relaxed)
                repeated.store(encoder.repeatedFrames, ordering: .relaxed)
            }
        }
        if let encoder { deliver(try encoder.finish()) }
    }

    private func deliver(_ packets: [EncodedPacket]) {
        bytes.add(packets.reduce(0) { $0 + $1.data.count }, ordering: .relaxed)
        if distributor.distribute(packets) { requestKeyframe() }
    }
}
