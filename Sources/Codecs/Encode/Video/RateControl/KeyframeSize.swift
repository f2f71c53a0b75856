import CPixelKernels
import Glibc
import Media

/// Estimates the size of an IDR picture for each QP, without encoding it.
///
/// A coefficient costs about one bit for each octave by which it is above the quantiser's step, and the step doubles
/// for every 6 steps of QP. So the strengths of a picture's details, counted by octaves, give the size for every QP.
/// The three constants are fitted to x264's sizes (preset veryfast) of 24 pages of text, code, slides, windows and
/// photographs, QP 14 to 46. For text and code, the estimate is within 10 % up to QP 38; a photograph can need twice
/// the bytes, or more with a low QP. `correct` makes it exact once a picture has been encoded.
package struct KeyframeSize: Sendable {
    private static let bytesPerMacroblock = 1.19
    private static let bytesPerOctave = 0.098
    /// The logarithm of the smallest coefficient that costs something, relative to the step at the same QP.
    private static let smallest = -2.76

    /// From this QP on, the size stays the same: the adaptive quantisation of x264 reaches the highest QP of the
    /// standard for blocks with much detail.
    static let coarsestQuantizer = 47
    /// The size with each QP above 51, relative to that with 51: x264 then leaves details out (`X264Encoder`).
    private static let emergencyShares = [0.95, 0.85, 0.7, 0.5, 0.3, 0.15, 0.08, 0.04, 0.015, 0.006]
    /// The same for a P picture of a new page, of three pages of dense text after others of that kind.
    private static let emergencySharesOfPage = [1, 0.69, 0.58, 0.25, 0.11, 0.08, 0.06, 0.04, 0.015, 0.006]

    /// How many coefficients are in each half octave.
    private let classes: [UInt32]
    private let macroblockCount: Int
    /// The real size of a picture, relative to its estimate.
    private var correction: Double

    /// Measures the luma of a picture.
    ///
    /// - Parameter last: an earlier picture of the same screen, whose real size is known.
    package init(of frame: PixelBuffer, like last: Self? = nil) {
        correction = last?.correction ?? 1
        var classes = [UInt32](repeating: 0, count: Int(PIXEL_KERNELS_DETAIL_CLASSES))
        frame.withUnsafeBytes { bytes in
            guard let luma = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            pixel_kernels_detail(luma, frame.stride, Int32(frame.size.width), Int32(frame.size.height), &classes)
        }
        self.classes = classes
        macroblockCount = (frame.size.width + 15) / 16 * ((frame.size.height + 15) / 16)
    }

    /// The size in bytes of an IDR picture with a QP.
    package func bytes(quantizer: Int) -> Double {
        bytes(quantizer: quantizer, shares: Self.emergencyShares)
    }

    /// The size in bytes of a P picture of a new page, with a QP, if it takes nothing from the page before.
    package func bytesOfPage(quantizer: Int) -> Double {
        bytes(quantizer: quantizer, shares: Self.emergencySharesOfPage)
    }

    private func bytes(quantizer: Int, shares: [Double]) -> Double {
        let step = Double(min(quantizer, Self.coarsestQuantizer)) / 6
        var octaves = 0.0
        for (index, count) in classes.enumerated() where count > 0 {
            // The middle of the class; its unit is an eighth of a grey step.
            let magnitude = Double(index) / 2 + 0.25 - 3
            octaves += Double(count) * max(0, magnitude - step - Self.smallest)
        }
        let share = quantizer > 51 ? shares[min(quantizer - 52, shares.count - 1)] : 1
        return share * correction * (Double(macroblockCount) * Self.bytesPerMacroblock + octaves * Self.bytesPerOctave)
    }

    /// Returns the lowest QP of `range` with which the picture has at most `limit` bytes; the highest QP of `range` if
    /// no QP is sufficient.
    package func quantizer(in range: ClosedRange<Int>, limit: Double) -> Int {
        range.first { bytes(quantizer: $0) <= limit } ?? range.upperBound
    }

    /// Notes the real size of a P picture of a new page.
    package mutating func correct(bytesOfPage bytes: Int, quantizer: Int) {
        correction *= Double(bytes) / bytesOfPage(quantizer: quantizer)
    }

    /// Notes the real size of an IDR picture.
    package mutating func correct(bytes: Int, quantizer: Int) {
        correction *= Double(bytes) / self.bytes(quantizer: quantizer)
    }
}
