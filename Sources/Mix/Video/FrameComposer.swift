import Media

/// Turns what was grabbed into frames to encode: converted, scaled and letterboxed to one output size.
///
/// A value of one thread, without a clock. The frames that it returns are shared and are not written again before their
/// last holder let go.
package struct FrameComposer {
    package let outputSize: PixelSize
    package let chroma: ChromaFormat
    private var pool: FramePool
    private var letterbox: Letterbox?
    /// The picture at the size of the source, kept where it must be scaled.
    private var unscaled: PixelBuffer?

    /// Frames of `outputSize`, which must be even.
    package init(outputSize: PixelSize, chroma: ChromaFormat = .yuv420) {
        self.outputSize = outputSize
        self.chroma = chroma
        pool = FramePool(size: outputSize, chroma: chroma)
    }

    /// The frame after `sample`, with what really changed as its damage; nil where no pixel differs from the frame before.
    ///
    /// Damage is finer here than where it came from: programs often draw again what was there.
    ///
    /// - Parameter unseen: the damage of the frame before, where that was taken back before anybody saw it. Its memory is then
    ///   written again, so that an encoder that falls behind costs no third frame.
    package mutating func compose(_ sample: SampleBuffer, replacing unseen: DamageRegion? = nil) -> SampleBuffer? {
        guard case .picture(let picture) = sample.payload else { return nil }
        let isNewLayout = letterbox?.source != picture.size
        let layout =
            isNewLayout ? Letterbox(source: picture.size, output: outputSize) : letterbox ?? Letterbox(source: picture.size, output: outputSize)
        letterbox = layout

        var region = DamageRegion(size: outputSize)
        if isNewLayout {
            region.add(PixelRect(outputSize))
        } else {
            for rectangle in picture.damage.rectangles {
                region.add(layout.outputRectangle(for: rectangle).alignedToMacroblocks)
            }
        }
        region.formUnion(unseen ?? DamageRegion(size: outputSize))
        guard !region.isEmpty else { return nil }
        if unseen != nil, let frame = pool.rewriteLatest(region) {
            draw(picture, layout: layout, isNewLayout: isNewLayout, into: frame)
            return result(frame, damage: region, at: sample)
        }
        // The patches give at least the damaged pixels; the rest of their macroblocks comes from the frame before.
        let previous = pool.latestFrame
        let frame = pool.nextFrame(rewriting: region)
        if let previous, !isNewLayout || layout.isIdentity {
            for rectangle in region.rectangles where !patchesCover(rectangle, of: picture, in: layout) { frame.copy(rectangle, from: previous) }
        }
        draw(picture, layout: layout, isNewLayout: isNewLayout, into: frame)
        var changed = isNewLayout ? region : previous.map { frame.changedMacroblocks(since: $0, in: region) } ?? region
        if let unseen { changed.formUnion(unseen) }
        return changed.isEmpty ? nil : result(frame, damage: changed, at: sample)
    }

    /// The latest frame as if all of it were new: for an encoder that saw something else in between. Nil before the first.
    package func wholeFrame(at time: MediaTime) -> SampleBuffer? {
        pool.latestFrame.map { frame in
            SampleBuffer(
                track: .screen, presentationTime: time,
                payload: .picture(Picture(size: outputSize, patches: [.init(x: 0, y: 0, pixels: frame)], damage: .whole(outputSize))))
        }
    }

    private func result(_ frame: PixelBuffer, damage: DamageRegion, at sample: SampleBuffer) -> SampleBuffer {
        SampleBuffer(
            track: .screen, presentationTime: sample.presentationTime,
            payload: .picture(Picture(size: outputSize, patches: [.init(x: 0, y: 0, pixels: frame)], damage: damage)))
    }

    private mutating func draw(_ picture: Picture, layout: Letterbox, isNewLayout: Bool, into frame: PixelBuffer) {
        if layout.isIdentity {
            unscaled = nil
            for patch in picture.patches { ColourConversion.place(patch, into: frame) }
        } else {
            scale(picture, layout: layout, into: frame, isNewLayout: isNewLayout)
        }
    }

    private func patchesCover(_ rectangle: PixelRect, of picture: Picture, in layout: Letterbox) -> Bool {
        layout.isIdentity && picture.patches.contains { $0.rectangle.contains(rectangle) }
    }

    private mutating func scale(_ picture: Picture, layout: Letterbox, into frame: PixelBuffer, isNewLayout: Bool) {
        let size = picture.size.roundedDownToEven
        let source: PixelBuffer
        if let unscaled, unscaled.size == size {
            source = unscaled
        } else {
            source = PixelBuffer(format: chroma.pixelFormat, size: size)
            source.fillBlack()
            unscaled = source
        }
        for patch in picture.patches { ColourConversion.place(patch, into: source) }
        if isNewLayout { frame.fillBlack() }
        FrameScaler.scale(source, into: frame, content: layout.content)
    }
}

extension PixelRect {
    /// Grown to the edges of the 16 by 16 macroblocks that it touches.
    var alignedToMacroblocks: PixelRect {
        let left = x & ~15
        let top = y & ~15
        return PixelRect(x: left, y: top, width: ((maxX + 15) & ~15) - left, height: ((maxY + 15) & ~15) - top)
    }
}
