/// A kind of test picture.
protocol Scene {
    /// How often `advance` is called, unless `--fps` overrides it.
    var framesPerSecond: Int { get }
    /// Paints the whole canvas: the first frame, and again after the size of the screen changed. The caller presents
    /// it.
    mutating func paint(on canvas: Canvas)
    /// Paints the next frame and presents the changes.
    mutating func advance(on canvas: Canvas)
}
