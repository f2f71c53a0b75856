import Media

/// Composes captured pictures into frames for the encoder: it converts, scales and letterboxes them to one output size.
///
/// Use it on one thread. It does not read a clock. The returned frames are shared. The composer does not write to a
/// frame while another holder retains it.
package struct FrameComposer {
    package let outputSize: PixelSize
    package let chroma: ChromaFormat
    private var pool: FramePool
    private var letterbox: Letterbox?
    private var stripes = EqualStripes()
    /// The picture at the source's size. Nil if no scaling is needed.
    private var unscaled: PixelBuffer?

    /// - Parameter outputSize: the size of the frames. Width and height must be even.
    package init(outputSize: PixelSize, chroma: ChromaFormat = .yuv420) {
        self.outputSize = outputSize
        self.chroma = chroma
        pool = FramePool(size: outputSize, chroma: chroma)
    }

    /// Returns the frame for `sample`, with the pixels that changed as its damage. Returns nil if no pixel differs from
    /// the previous frame.
    ///
    /// The damage is smaller than the damage of `sample`, because programs often draw the same pixels again.
    ///
    /// - Parameter unseen: the damage of the previous frame, if that frame was withdrawn before a consumer received it.
    ///   The composer then writes to the same memory again, so that a slow encoder does not require a third frame.
    package mutating func compose(_ sample: CapturedSample, replacing unseen: DamageRegion? = nil) -> SampleBuffer? {
        let picture = stripes.remove(from: sample)
        let isNewLayout = letterbox?.source != picture.size
        let layout =
            isNewLayout
            ? Letterbox(source: picture.size, output: outputSize)
            : letterbox ?? Letterbox(source: picture.size, output: outputSize)
        letterbox = layout

        var region = DamageRegion(size: outputSize)
        if isNewLayout {
            region.add(PixelRect(outputSize))
        } else {
            // A patch can be larger than the damage, and show what a program has drawn since: its damage follows with
            // the next sample, but no pixel differs then.
            for rectangle in picture.damage.rectangles + picture.patches.map(\.rectangle) {
                region.add(layout.outputRectangle(for: rectangle).alignedToMacroblocks)
            }
        }
        region.formUnion(unseen ?? DamageRegion(size: outputSize))
        guard !region.isEmpty else { return nil }
        let time = picture.presentationTime
        if unseen != nil, let frame = pool.rewriteLatest(region) {
            draw(picture, of: sample, layout: layout, isNewLayout: isNewLayout, region, into: frame)
            return result(frame, damage: region, at: time)
        }
        // The patches contain at least the damaged pixels. Copy the rest of their macroblocks from the previous frame.
        let previous = pool.latestFrame
        let frame = pool.nextFrame(rewriting: region)
        if let previous, !isNewLayout || layout.isIdentity {
            for rectangle in region.rectangles where !patchesCover(rectangle, of: picture, in: layout) {
                frame.copy(rectangle, from: previous)
            }
        }
        draw(picture, of: sample, layout: layout, isNewLayout: isNewLayout, region, into: frame)
        var changed = isNewLayout ? region : previous.map { frame.changedMacroblocks(since: $0, in: region) } ?? region
        if let unseen { changed.formUnion(unseen) }
        guard !changed.isEmpty else {
            pool.withdrawLatest()
            return nil
        }
        return result(frame, damage: changed, at: time)
    }

    /// Returns the latest frame with all of it damaged, for an encoder that encoded another picture since. Nil before
    /// the first frame.
    package func wholeFrame(at time: MediaTime) -> SampleBuffer? {
        pool.latestFrame.map { result($0, damage: .whole(outputSize), at: time) }
    }

    private func result(_ frame: PixelBuffer, damage: DamageRegion, at time: MediaTime) -> SampleBuffer {
        SampleBuffer(
            track: .screen, presentationTime: time,
            payload: .picture(Picture(size: outputSize, patches: [.init(x: 0, y: 0, pixels: frame)], damage: damage)))
    }

    /// Draws `picture`, a part of `sample`, into `frame`, at least `region` of it.
    private mutating func draw(
        _ picture: CapturedChange, of sample: CapturedSample, layout: Letterbox, isNewLayout: Bool,
        _ region: DamageRegion, into frame: PixelBuffer
    ) {
        if layout.isIdentity {
            unscaled = nil
            for patch in picture.patches { ColourConversion.place(patch, of: sample, into: frame) }
        } else {
            scale(picture, of: sample, layout: layout, region, into: frame, isNewLayout: isNewLayout)
        }
    }

    private func patchesCover(_ rectangle: PixelRect, of picture: CapturedChange, in layout: Letterbox) -> Bool {
        layout.isIdentity && picture.patches.contains { $0.rectangle.contains(rectangle) }
    }

    private mutating func scale(
        _ picture: CapturedChange, of sample: CapturedSample, layout: Letterbox, _ region: DamageRegion,
        into frame: PixelBuffer, isNewLayout: Bool
    ) {
        let size = picture.size.roundedDownToEven
        let source: PixelBuffer
        if let unscaled, unscaled.size == size {
            source = unscaled
        } else {
            source = PixelBuffer(format: chroma.pixelFormat, size: size)
            source.fillBlack()
            unscaled = source
        }
        for patch in picture.patches { ColourConversion.place(patch, of: sample, into: source) }
        if isNewLayout { frame.fillBlack() }
        FrameScaler.scale(source, into: frame, content: layout.content, changed: region)
    }
}

extension PixelRect {
    /// The rectangle expanded to the edges of all 16 × 16 macroblocks that it touches.
    var alignedToMacroblocks: PixelRect {
        let left = x & ~15
        let top = y & ~15
        return PixelRect(x: left, y: top, width: ((maxX + 15) & ~15) - left, height: ((maxY + 15) & ~15) - top)
    }
}
