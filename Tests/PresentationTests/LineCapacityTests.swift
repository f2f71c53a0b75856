import Doctor
import Media
import Presentation
import Testing

/// What is recommended for a line.
struct LineCapacityTests {
    private func capacity(_ rate: Int, limits: PictureLimits = PictureLimits()) -> LineCapacity {
        LineCapacity(address: "rtmp://a/…", rate: rate, isAtLimit: false, limits: limits)
    }

    @Test(arguments: [
        (30_000, 12_000, 1080), (9000, 6100, 1080), (4000, 2600, 1080), (3500, 2200, 720), (1500, 800, 480),
        (950, 500, 480),
    ])
    func `Most of the line is used, and the size fits the rest`(rate: Int, bitrate: Int, height: Int) {
        let capacity = capacity(rate)
        #expect(capacity.bitrate == bitrate && capacity.size?.height == height)
    }

    @Test(arguments: [0, 100, 900]) func `A line that is too slow has no recommendation`(rate: Int) {
        #expect(capacity(rate).bitrate == nil && capacity(rate).size == nil)
        #expect(FindingRow(Finding(.line, .wrong, .line(capacity(rate)))).line.contains("too little"))
    }

    @Test(arguments: [(1080, nil), (1440, 1080), (768, nil)] as [(Int, Int?)])
    func `No size is recommended that is not smaller than the screen`(height: Int, expected: Int?) {
        let screen = PixelSize(width: height * 16 / 9, height: height)
        for size in [screen, PixelSize(width: screen.height, height: screen.width)] {
            let capacity = LineCapacity(address: "rtmp://a/…", rate: 9000, isAtLimit: false, screen: size)
            #expect(capacity.bitrate == 6100 && capacity.size?.height == expected)
        }
    }

    @Test func `The limits of a service count`() {
        let limits = PictureLimits(size: PixelSize(width: 1280, height: 720), bitrate: 4000)
        let capacity = capacity(20_000, limits: limits)
        #expect(capacity.bitrate == 4000 && capacity.size == limits.size)
        let text = FindingRow(Finding(.line, .ok, .line(capacity))).line
        #expect(text.contains("--bitrate 4000 --size 1280x720"))
    }
}
