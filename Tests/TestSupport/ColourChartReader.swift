import TestPatterns

/// Compares a picture of `TestScreen chart` with what was painted.
package struct ColourChartReader: Sendable {
    /// One patch as it came out.
    package struct Measurement: Sendable, CustomStringConvertible {
        /// What was painted.
        package let patch: ColourPatch
        /// The mean red, green and blue over the middle of the patch, 0...255.
        package let mean: [Double]

        /// The largest difference of a component.
        package var error: Double {
            let wanted = [patch.colour.red, patch.colour.green, patch.colour.blue]
            return zip(mean, wanted).map { abs($0 - Double($1)) }.max() ?? 0
        }

        package var description: String {
            "\(patch.name): wanted \(patch.colour.red) \(patch.colour.green) \(patch.colour.blue), got "
                + mean.map { "\(($0 * 10).rounded() / 10)" }.joined(separator: " ")
        }
    }

    /// Every patch of an rgb24 frame that shows the screen in that part of it, the worst first.
    package static func measure(_ frame: DecodedFrame, screen: PatternRectangle = .whole) -> [Measurement] {
        precondition(frame.layout == .rgb24)
        return ColourChart.patches
            .map { Measurement(patch: $0, mean: frame.mean(of: $0.rectangle.placed(in: screen).inner(0.5))) }
            .sorted { $0.error > $1.error }
    }
}
