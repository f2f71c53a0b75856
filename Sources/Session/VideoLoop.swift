import Encode
import Media
import Synchronization

/// The video encoder's thread: takes frames from the mailbox, and gives packets to the distributor.
///
/// It owns x264 from opening to closing.
final class VideoLoop: Sendable {
    private let mailbox: FrameMailbox
    private let distributor: Distributor
    private let encoded = Atomic(0)
    private let repeated = Atomic(0)
    private let bytes = Atomic(0)

    init(mailbox: FrameMailbox, distributor: Distributor) {
        self.mailbox = mailbox
        self.distributor = distributor
    }

    /// Frames that x264 coded, repeat pictures, and bytes of both.
    var counts: (encoded: Int, repeated: Int, bytes: Int) {
        (encoded.load(ordering: .relaxed), repeated.load(ordering: .relaxed), bytes.load(ordering: .relaxed))
    }

    /// Starts the thread and opens the encoder on it.
    ///
    /// - Parameters:
    ///   - settings: nil where every destination takes raw pictures.
    ///   - size: of the raw pictures; nil where no destination takes them.
    ///   - noteSettled: is told after each frame whether the picture needs no more encoding.
    func start(
        settings: VideoSettings?, rawSize size: PixelSize?, noteSettled: @escaping @Sendable (Bool) -> Void,
        onFailure: @escaping @Sendable (EncodeError) -> Void
    ) async -> (NamedThread, Result<VideoTrackFormat?, EncodeError>) {
        let thread = Mutex<NamedThread?>(nil)
        let result = await withCheckedContinuation { (opened: CheckedContinuation<Result<VideoTrackFormat?, EncodeError>, Never>) in
            let started = NamedThread(name: "video encoder") { [self] in
                let encoder: VideoEncoder?
                do throws(EncodeError) {
                    if let settings { encoder = try VideoEncoder(settings: settings) } else { encoder = nil }
                } catch {
                    opened.resume(returning: .failure(error))
                    return
                }
                opened.resume(returning: .success(encoder?.format))
                do throws(EncodeError) {
                    try run(encoder: encoder, raw: size.map { _ in RawVideoPacketizer() }, noteSettled: noteSettled)
                } catch {
                    onFailure(error)
                }
            }
            thread.withLock { $0 = started }
        }
        let started = thread.withLock { $0 }
        return (started ?? NamedThread(name: "video encoder") {}, result)
    }

    private func run(encoder: VideoEncoder?, raw: RawVideoPacketizer?, noteSettled: (Bool) -> Void) throws(EncodeError) {
        var raw = raw
        while let item = mailbox.take() {
            if distributor.takeKeyframeRequest() { encoder?.requestKeyframe() }
            let packets: [EncodedPacket]
            let rawPacket: EncodedPacket?
            switch item {
            case .frame(let frame):
                packets = try encoder?.encode(frame) ?? []
                rawPacket = raw?.packet(for: frame)
            case .unchanged(let time):
                packets = try encoder?.encodeRepeat(at: time) ?? []
                rawPacket = raw?.repeatPacket(at: time)
            }
            deliver(packets)
            if let rawPacket { distributor.distributeRawVideo(rawPacket) }
            noteSettled(encoder?.isSettled ?? true)
            if let encoder {
                encoded.store(encoder.encodedFrames, ordering: .relaxed)
                repeated.store(encoder.repeatedFrames, ordering: .relaxed)
            }
        }
        if let encoder { deliver(try encoder.finish()) }
    }

    private func deliver(_ packets: [EncodedPacket]) {
        bytes.add(packets.reduce(0) { $0 + $1.data.count }, ordering: .relaxed)
        distributor.distributeVideo(packets)
    }
}

/// Frames as packets of raw I420, for destinations that want them. A repeated frame shares the bytes of the one before.
private struct RawVideoPacketizer {
    private var last: [UInt8] = []
    private var sequence: UInt32 = 0

    mutating func packet(for sample: SampleBuffer) -> EncodedPacket? {
        guard case .picture(let picture) = sample.payload, let frame = picture.patches.first?.pixels else { return nil }
        last = frame.withUnsafeBytes { Array($0) }
        return repeatPacket(at: sample.presentationTime)
    }

    mutating func repeatPacket(at time: MediaTime) -> EncodedPacket? {
        guard !last.isEmpty else { return nil }
        defer { sequence += 1 }
        return EncodedPacket(track: .screen, presentationTime: time, decodeTime: time, isKeyframe: true, sequence: sequence, data: last)
    }
}
