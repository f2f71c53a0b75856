import CYUV
import Media

extension PixelBuffer {
    /// Returns this I420 or I444 picture without details smaller than 16 pixels. It needs few bytes with any QP.
    func withoutDetails() -> PixelBuffer {
        let result = PixelBuffer(format: format, size: size)
        let offsets = planeOffsets
        let chroma = PixelSize(width: size.width >> chromaShift, height: size.height >> chromaShift)
        withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let from = source.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let to = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                else { return }
                Self.blur(from + offsets.y, to + offsets.y, stride: stride, size: size)
                Self.blur(from + offsets.u, to + offsets.u, stride: chromaStride, size: chroma)
                Self.blur(from + offsets.v, to + offsets.v, stride: chromaStride, size: chroma)
            }
        }
        return result
    }

    private static func blur(
        _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, stride: Int, size: PixelSize
    ) {
        let (width, height) = (max(1, size.width / 16), max(1, size.height / 16))
        var small = [UInt8](repeating: 0, count: width * height)
        ScalePlane(
            from, Int32(stride), Int32(size.width), Int32(size.height), &small, Int32(width), Int32(width),
            Int32(height), kFilterBox)
        ScalePlane(
            small, Int32(width), Int32(width), Int32(height), to, Int32(stride), Int32(size.width), Int32(size.height),
            kFilterBilinear)
    }
}
