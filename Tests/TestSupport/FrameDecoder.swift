import Foundation

/// Decodes a file, a URL or a device with ffmpeg, frame by frame; only one frame is in memory at a time.
package struct FrameDecoder: Sendable {
    /// What to decode, as ffmpeg's `-i` takes it.
    package var source: String
    /// The layout of the frames.
    package var layout = DecodedFrame.Layout.gray
    /// Pixels, where the frames are to be scaled (by averaging); nil leaves the size as it is.
    package var size: (width: Int, height: Int)?
    /// An ffmpeg filter ahead of the scaling (`"crop=100:100:0:0"`).
    package var filter: String?
    /// Options ahead of `-i` (`["-fflags", "nobuffer"]`).
    package var inputOptions: [String] = []
    /// What ffmpeg gets in its environment.
    package var environment: [String: String] = [:]

    /// A decoder with these settings.
    package init(
        _ source: String, layout: DecodedFrame.Layout = .gray, size: (width: Int, height: Int)? = nil,
        filter: String? = nil,
        inputOptions: [String] = [], environment: [String: String] = [:]
    ) {
        self.source = source
        self.layout = layout
        self.size = size
        self.filter = filter
        self.inputOptions = inputOptions
        self.environment = environment
    }

    /// Calls the function for each frame in order, until it returns false or there are no more. Gives the number of
    /// frames. Throws if ffmpeg fails, or if no frame comes within the deadline.
    @discardableResult
    nonisolated(nonsending) package func forEachFrame(
        in peers: Peers, deadline: Duration = .seconds(60), _ body: (DecodedFrame) async throws -> Bool
    ) async throws -> Int {
        let peer = try peers.start("decoder", command, environment: environment, output: .pipe)
        var log = ShowInfoLog(path: peer.folder + "/stderr")
        var geometry: (width: Int, height: Int)?
        var count = 0
        while true {
            let first = try await peer.read(atMost: 1, deadline: deadline)
            if first.isEmpty { break }
            // The filter's line was written before the frame went into the pipe.
            guard let line = try log.next() else { throw PeerError.answer("ffmpeg gave a frame without its time") }
            geometry = line.size ?? geometry
            guard let geometry else { throw PeerError.answer("ffmpeg gave a frame without its size") }
            var bytes = first
            let length = geometry.width * geometry.height * layout.bytesPerPixel
            bytes.reserveCapacity(length)
            while bytes.count < length {
                let more = try await peer.read(atMost: length - bytes.count, deadline: deadline)
                if more.isEmpty {
                    throw PeerError.answer("ffmpeg ended inside a frame: \(peer.standardError.suffix(1000))")
                }
                bytes += more
            }
            count += 1
            let frame = DecodedFrame(
                width: geometry.width, height: geometry.height, layout: layout, pts: line.time,
                received: MonotonicTime.now(), bytes: bytes)
            if try await !body(frame) {
                // It is blocked in a write to the pipe, and would not hear a polite signal.
                try await peer.killNow()
                return count
            }
        }
        let status = try await peer.waitForExit()
        guard status == .exited(0) else {
            throw PeerError.ended(
                "ffmpeg, decoding \(source)", status: status, errors: String(peer.standardError.suffix(2000)))
        }
        return count
    }

    /// All the frames at once: for small sizes or short files.
    nonisolated(nonsending) package func frames(in peers: Peers) async throws -> [DecodedFrame] {
        var frames: [DecodedFrame] = []
        try await forEachFrame(in: peers) { frame in
            frames.append(frame)
            return true
        }
        return frames
    }

    /// One encoding thread: ffmpeg's encoder of raw video would hold a frame back for each, and a live player would
    /// seem late.
    private var command: [String] {
        let scaling =
            size.map { "scale=\($0.width):\($0.height):flags=area+accurate_rnd+full_chroma_int" }
            ?? "scale=flags=accurate_rnd+full_chroma_int"
        let filters = [filter, scaling, "format=\(layout.rawValue)", "settb=1/1000000", "showinfo=checksum=0"]
            .compactMap { $0 }
        return ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-v", "info", "-copyts"] + inputOptions + [
            "-i", source,
        ]
            + ["-map", "0:v:0", "-vf", filters.joined(separator: ","), "-fps_mode", "passthrough", "-threads", "1"]
            + ["-f", "rawvideo", "-pix_fmt", layout.rawValue, "-flush_packets", "1", "pipe:1"]
    }
}
