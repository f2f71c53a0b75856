import Media
import Mix

/// The tests compose pictures that own their pixels.
extension FrameComposer {
    mutating func compose(_ sample: SampleBuffer) -> SampleBuffer? {
        guard case .picture(let picture) = sample.payload else { return nil }
        let patches = picture.patches.map { CapturedPatch(x: $0.x, y: $0.y, buffer: $0.pixels) }
        let change = CapturedChange(
            size: picture.size, at: sample.presentationTime, patches: patches, damage: picture.damage)
        return compose(.lent(change, RawSpan()))
    }
}

extension ColourConversion {
    static func place(_ patch: Picture.Patch, into frame: PixelBuffer) {
        let patch = CapturedPatch(x: patch.x, y: patch.y, buffer: patch.pixels)
        let change = CapturedChange(size: frame.size, at: .zero, patches: [patch], damage: .whole(frame.size))
        place(patch, of: .lent(change, RawSpan()), into: frame)
    }

    static func convert(_ patch: Picture.Patch, into frame: PixelBuffer) {
        patch.pixels.withBytes { convert($0, stride: patch.pixels.stride, to: patch.rectangle, of: frame) }
    }
}
