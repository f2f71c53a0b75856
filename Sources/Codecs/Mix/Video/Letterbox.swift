import Media

/// The position of a picture in a frame of another size: as large as possible, with the same aspect ratio, centred,
/// with even edges.
package struct Letterbox: Equatable {
    package let source: PixelSize
    package let output: PixelSize
    /// The part of the output that shows the picture. The rest of the frame is black.
    package let content: PixelRect

    package init(source: PixelSize, output: PixelSize) {
        self.source = source
        self.output = output
        let even = source.roundedDownToEven
        if even == output {
            content = PixelRect(output)
            return
        }
        var width = output.width
        var height = output.height
        if even.width * output.height > output.width * even.height {
            height = output.width * even.height / max(even.width, 1)
        } else {
            width = output.height * even.width / max(even.height, 1)
        }
        width = min(output.width, max(2, (width + 1) & ~1))
        height = min(output.height, max(2, (height + 1) & ~1))
        content = PixelRect(
            x: ((output.width - width) / 2) & ~1, y: ((output.height - height) / 2) & ~1, width: width, height: height)
    }

    /// True if the picture maps to the frame pixel by pixel.
    package var isIdentity: Bool { source.roundedDownToEven == content.size && content.size == output }

    /// Returns the output pixels that change if `rectangle` of the source changes. The scaling filter reaches one pixel
    /// further, and two source pixels further in chroma. If the picture is enlarged, the result is enlarged
    /// accordingly.
    package func outputRectangle(for rectangle: PixelRect) -> PixelRect {
        if isIdentity { return rectangle }
        let even = source.roundedDownToEven
        let reach = rectangle.alignedToChroma
        let left = (reach.x - 2) * content.width / max(even.width, 1) - 2
        let top = (reach.y - 2) * content.height / max(even.height, 1) - 2
        let right = ((reach.maxX + 2) * content.width + even.width - 1) / max(even.width, 1) + 2
        let bottom = ((reach.maxY + 2) * content.height + even.height - 1) / max(even.height, 1) + 2
        return PixelRect(x: content.x + left, y: content.y + top, width: right - left, height: bottom - top)
            .intersection(content)
    }
}
