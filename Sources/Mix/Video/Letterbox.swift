import Media

/// Where a picture of one size lies in a frame of another: as large as it fits, its aspect kept, centred, on even pixels.
package struct Letterbox: Equatable {
    package let source: PixelSize
    package let output: PixelSize
    /// The part of the output that shows the picture; around it the frame is black.
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
        content = PixelRect(x: ((output.width - width) / 2) & ~1, y: ((output.height - height) / 2) & ~1, width: width, height: height)
    }

    /// True where the picture's pixels are the frame's, one for one.
    package var isIdentity: Bool { source.roundedDownToEven == content.size && content.size == output }

    /// The output's pixels that change when `rectangle` of the source does. The scaling filter reaches a pixel further, in
    /// chroma two of the source's; a larger picture shows these larger.
    package func outputRectangle(for rectangle: PixelRect) -> PixelRect {
        if isIdentity { return rectangle }
        let even = source.roundedDownToEven
        let reach = rectangle.alignedToChroma
        let left = (reach.x - 2) * content.width / max(even.width, 1) - 2
        let top = (reach.y - 2) * content.height / max(even.height, 1) - 2
        let right = ((reach.maxX + 2) * content.width + even.width - 1) / max(even.width, 1) + 2
        let bottom = ((reach.maxY + 2) * content.height + even.height - 1) / max(even.height, 1) + 2
        return PixelRect(x: content.x + left, y: content.y + top, width: right - left, height: bottom - top).intersection(content)
    }
}
