import CX264
import Encode
import Glibc
import Media

/// An encoder under test. It gets the picture of each tick and returns an access unit of H.264 in Annex B for it.
protocol Contender {
    mutating func encode(_ picture: PixelBuffer, tick: Int) throws -> [UInt8]
}

/// The encoder of `broadcast`, with constant pacing and one of its libraries.
struct OwnEncoder: Contender {
    private let encoder: VideoEncoder
    private let size: PixelSize
    private let frameRate: Int
    private var last: PixelBuffer?
    private let sets: [UInt8]

    init(size: PixelSize, frameRate: Int, kilobits: Int, library: CodingOptions.Library) throws {
        var settings = VideoSettings(
            size: size, frameRate: frameRate, hasFixedFrameRate: true, rateControl: .bitrate(kilobits),
            coding: CodingOptions(library: library))
        settings.threads = 2
        encoder = try VideoEncoder(settings: settings)
        self.size = size
        self.frameRate = frameRate
        guard case .h264(let sequence, let picture) = encoder.format.codec else { fatalError("not H.264") }
        sets = [0, 0, 0, 1] + sequence + [0, 0, 0, 1] + picture
    }

    mutating func encode(_ picture: PixelBuffer, tick: Int) throws -> [UInt8] {
        let time = MediaTime(value: Int64(tick), timescale: Int64(frameRate))
        defer { last = picture }
        let damage =
            last.map { $0 === picture ? DamageRegion(size: size) : picture.difference(from: $0) } ?? .whole(size)
        let packets =
            if damage.isEmpty, tick > 0 {
                try encoder.encodeRepeat(at: time)
            } else {
                try encoder.encode(
                    SampleBuffer(
                        track: .screen, presentationTime: time,
                        payload: .picture(
                            Picture(size: size, patches: [.init(x: 0, y: 0, pixels: picture)], damage: damage))))
            }
        var data: [UInt8] = []
        for packet in packets {
            if packet.isKeyframe { data += sets }
            data += annexB(packet.data)
        }
        return data
    }

    /// Replaces the length before each NAL unit by a start code.
    private func annexB(_ unit: [UInt8]) -> [UInt8] {
        var result = unit
        var position = 0
        while position + 4 <= unit.count {
            let length = unit[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            result.replaceSubrange(position..<position + 4, with: [0, 0, 0, 1])
            position += 4 + length
        }
        return result
    }
}

/// x264 as `ffmpeg -preset veryfast -tune zerolatency -b:v B -maxrate B -bufsize B -g 60` opens it.
struct PlainEncoder: Contender {
    private let encoder: OpaquePointer

    init(size: PixelSize, frameRate: Int, kilobits: Int) throws {
        var parameters = x264_param_t()
        x264_param_default_preset(&parameters, "veryfast", "zerolatency")
        cx264_silence(&parameters)
        parameters.i_width = Int32(size.width)
        parameters.i_height = Int32(size.height)
        parameters.i_csp = X264_CSP_I420
        parameters.i_fps_num = UInt32(frameRate)
        parameters.i_fps_den = 1
        parameters.b_vfr_input = 0
        parameters.i_keyint_max = Int32(2 * frameRate)
        parameters.i_threads = 2
        parameters.b_repeat_headers = 1
        parameters.rc.i_rc_method = X264_RC_ABR
        parameters.rc.i_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_max_bitrate = Int32(kilobits)
        parameters.rc.i_vbv_buffer_size = Int32(kilobits)
        x264_param_apply_profile(&parameters, "high")
        guard let encoder = cx264_encoder_open(&parameters) else { fatalError("x264 cannot be opened") }
        self.encoder = encoder
    }

    func encode(_ frame: PixelBuffer, tick: Int) throws -> [UInt8] {
        var picture = x264_picture_t()
        x264_picture_init(&picture)
        picture.i_pts = Int64(tick)
        picture.img.i_csp = X264_CSP_I420
        picture.img.i_plane = 3
        picture.img.i_stride = (Int32(frame.stride), Int32(frame.chromaStride), Int32(frame.chromaStride), 0)
        let offsets = frame.planeOffsets
        var output = x264_picture_t()
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        let length = frame.withUnsafeBytes { bytes -> Int32 in
            let base = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            picture.img.plane = (
                base.map { $0 + offsets.y }, base.map { $0 + offsets.u }, base.map { $0 + offsets.v }, nil
            )
            return x264_encoder_encode(encoder, &units, &count, &picture, &output)
        }
        guard length > 0, let first = units?.pointee.p_payload else { return [] }
        return Array(UnsafeBufferPointer(start: first, count: Int(length)))
    }
}

extension PixelBuffer {
    /// The macroblocks in which this I420 picture differs from another one of the same size.
    func difference(from other: PixelBuffer) -> DamageRegion {
        var region = DamageRegion(size: size)
        withUnsafeBytes { a in
            other.withUnsafeBytes { b in
                for top in stride(from: 0, to: size.height, by: 16) {
                    let rows = min(16, size.height - top)
                    var first: Int?
                    for column in 0...(size.width + 15) / 16 {
                        let differs = column * 16 < size.width && blockDiffers(a, b, column * 16, top, rows)
                        if differs, first == nil { first = column }
                        if !differs, let from = first {
                            region.add(
                                PixelRect(
                                    x: from * 16, y: top, width: min(size.width, column * 16) - from * 16, height: rows)
                            )
                            first = nil
                        }
                    }
                }
            }
        }
        return region
    }

    private func stride(from: Int, to: Int, by: Int) -> StrideTo<Int> { Swift.stride(from: from, to: to, by: by) }

    private func blockDiffers(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ x: Int, _ y: Int, _ rows: Int
    ) -> Bool {
        let width = min(16, size.width - x)
        let offsets = planeOffsets
        for row in y..<y + rows
        where memcmp(a.baseAddress! + row * stride + x, b.baseAddress! + row * stride + x, width) != 0 {
            return true
        }
        for row in y / 2..<(y + rows) / 2 {
            for plane in [offsets.u, offsets.v] {
                let at = plane + row * chromaStride + x / 2
                if memcmp(a.baseAddress! + at, b.baseAddress! + at, width / 2) != 0 { return true }
            }
        }
        return false
    }
}
