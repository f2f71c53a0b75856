import Capture
import Concurrency
import Foundation
import Media
import TestSupport

/// Helpers to request samples from a source and to inspect them.
extension ScreenSource {
    /// Returns a copy of the next sample, which remains valid after it.
    func nextSample(at time: MediaTime = MediaTime(nanoseconds: SessionClock.monotonic())) throws(CaptureError)
        -> SampleBuffer?
    {
        try withNextSample(at: time) { sample -> SampleBuffer? in
            guard let sample else { return nil }
            let change = sample.change
            let patches = change.patches.map { patch in
                Picture.Patch(x: patch.rectangle.x, y: patch.rectangle.y, pixels: sample.copy(of: patch))
            }
            return SampleBuffer(
                track: .screen, presentationTime: change.presentationTime,
                payload: .picture(Picture(size: change.size, patches: patches, damage: change.damage)))
        }
    }

    /// Returns a copy of the next sample's picture.
    func nextPicture(at time: MediaTime = MediaTime(nanoseconds: SessionClock.monotonic())) throws(CaptureError)
        -> Picture?
    {
        try nextSample(at: time)?.picture
    }

    /// The next picture. Waits for it, because the server reports a change with a delay.
    @discardableResult
    nonisolated(nonsending) func nextChange() async throws -> Picture {
        try await waitForPicture("a change") { _ in true }
    }

    /// Requests samples until one fulfils the condition.
    @discardableResult
    nonisolated(nonsending) func waitForPicture(_ what: String, _ condition: (Picture) -> Bool) async throws -> Picture
    {
        var found: Picture?
        try await waitUntil(what) {
            guard let picture = try nextPicture(), condition(picture) else { return false }
            found = picture
            return true
        }
        guard let found else { throw PeerError.answer("no picture of \(what)") }
        return found
    }

    /// Requests samples until the source has the condition.
    nonisolated(nonsending) func wait(for condition: SourceCondition) async throws {
        try await waitUntil("the condition \(condition)") {
            _ = try nextSample()
            return self.condition == condition
        }
    }
}

extension CapturedSample {
    /// Returns the pixels of `patch` without padding between the rows.
    fileprivate func copy(of patch: CapturedPatch) -> PixelBuffer {
        if let buffer = patch.buffer, !patch.isPacked { return buffer }
        let copy = PixelBuffer(format: .bgra, size: patch.rectangle.size)
        withBytes(of: patch) { pixels in
            pixels.withUnsafeBytes { source in
                copy.withUnsafeMutableBytes { target in
                    for row in 0..<copy.size.height {
                        UnsafeMutableRawBufferPointer(rebasing: target[(row * copy.stride)...])
                            .copyMemory(
                                from: UnsafeRawBufferPointer(
                                    rebasing: source[(row * patch.stride)...].prefix(copy.stride)))
                    }
                }
            }
        }
        return copy
    }
}

extension SampleBuffer {
    var picture: Picture? {
        if case .picture(let picture) = payload { picture } else { nil }
    }
}

extension Picture {
    /// Returns the colour of a pixel as 0xRRGGBB, or nil if no patch contains the pixel.
    func colour(x: Int, y: Int) -> UInt32? {
        guard let patch = patches.first(where: { $0.rectangle.contains(PixelRect(x: x, y: y, width: 1, height: 1)) })
        else { return nil }
        return patch.pixels.withUnsafeBytes {
            $0.loadUnaligned(fromByteOffset: (y - patch.y) * patch.pixels.stride + (x - patch.x) * 4, as: UInt32.self)
                & 0xFFFFFF
        }
    }

    /// Returns the smallest rectangle that contains all pixels of other colours, or nil if all pixels have that colour.
    func extent(against background: UInt32) -> PixelRect? {
        var found: PixelRect?
        for patch in patches {
            for y in patch.rectangle.y..<patch.rectangle.maxY {
                for x in patch.rectangle.x..<patch.rectangle.maxX where colour(x: x, y: y) != background {
                    let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
                    found = found?.union(pixel) ?? pixel
                }
            }
        }
        return found
    }

    /// Pixels of exactly this colour.
    func count(of colour: UInt) -> Int {
        patches.reduce(0) { sum, patch in
            sum
                + patch.pixels.withUnsafeBytes { bytes in
                    (0..<patch.pixels.size.height).reduce(0) { sum, row in
                        sum
                            + (0..<patch.pixels.size.width).count { column in
                                let pixel = bytes.loadUnaligned(
                                    fromByteOffset: row * patch.pixels.stride + column * 4, as: UInt32.self)
                                return UInt(pixel & 0xFFFFFF) == colour
                            }
                    }
                }
        }
    }

    /// True if every pixel is known and has this colour.
    func isPlain(_ colour: UInt32) -> Bool {
        patches.reduce(0) { $0 + $1.rectangle.area } == size.area && extent(against: colour) == nil
    }
}
