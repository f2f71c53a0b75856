import Media
import Mix
import Testing

/// Which rows of a scaled picture are scaled again after a change. That the result is the same is tested by
/// `FrameComposerTests`.
struct ScaledBandsTests {
    @Test(arguments: [
        // 3:2, 4:3 with libyuv's own kernel, 2:1, 9:4.
        (PixelSize(width: 1920, height: 1080), PixelSize(width: 1280, height: 720), 24),
        (PixelSize(width: 2560, height: 1440), PixelSize(width: 1920, height: 1080), 24),
        (PixelSize(width: 3840, height: 2160), PixelSize(width: 1920, height: 1080), 20),
        (PixelSize(width: 1920, height: 1080), PixelSize(width: 853, height: 480), 32),
        // 6:5 is not exact, and an enlarged picture is not either.
        (PixelSize(width: 1920, height: 1080), PixelSize(width: 1600, height: 900), 900),
        (PixelSize(width: 1280, height: 720), PixelSize(width: 1920, height: 1080), 1080),
    ])
    func `A small change needs few rows`(source: PixelSize, content: PixelSize, most: Int) {
        let bands = ScaledBands(source: source, content: PixelRect(content))
        var region = DamageRegion(size: content)
        region.add(PixelRect(x: 100, y: 200, width: 40, height: 16))
        let rows = bands.rows(of: region)
        #expect(
            rows.count == 1 && rows[0].content.count <= most && rows[0].content.lowerBound <= 200
                && rows[0].content.upperBound >= 216)
        #expect(rows[0].source.count * content.height == rows[0].content.count * source.height)
        #expect(rows[0].source.lowerBound * content.height == rows[0].content.lowerBound * source.height)
    }

    @Test func `Areas far apart are separate, borders need none, and a whole picture is one`() {
        let output = PixelSize(width: 640, height: 480)
        let bands = ScaledBands(
            source: PixelSize(width: 960, height: 540), content: PixelRect(x: 0, y: 60, width: 640, height: 360))
        var region = DamageRegion(size: output)
        region.add(PixelRect(x: 0, y: 64, width: 16, height: 16))
        region.add(PixelRect(x: 0, y: 404, width: 16, height: 60))
        region.add(PixelRect(x: 0, y: 0, width: 16, height: 16))
        #expect(bands.rows(of: region).map(\.content) == [4..<20, 344..<360])
        let whole = bands.rows(of: .whole(output))
        #expect(whole.map(\.source) == [0..<540] && whole.map(\.content) == [0..<360])
    }
}
