/// One kind of test picture.
protocol Scene {
    /// How often `advance` is called, unless `--fps` says otherwise.
    var framesPerSecond: Int { get }
    /// Paints the whole canvas: the first frame, and again after the screen has changed its size. The caller presents it.
    mutating func paint(on canvas: Canvas)
    /// Paints the next frame and presents what has changed.
    mutating func advance(on canvas: Canvas)
}
