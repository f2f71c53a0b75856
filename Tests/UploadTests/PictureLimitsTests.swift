import Media
import Testing
import Upload

/// What several services allow together.
struct PictureLimitsTests {
    @Test func `The strictest limits satisfy every service, in any order`() {
        let wide = PictureLimits(size: PixelSize(width: 1920, height: 1080), frameRate: 60, bitrate: 6000)
        let tall = PictureLimits(size: PixelSize(width: 1080, height: 1350), bitrate: 4500)
        let open = PictureLimits(frameRate: 30)
        for order in [[wide, tall, open], [open, tall, wide], [tall, wide, open]] {
            let strictest = order.strictest
            #expect(strictest == PictureLimits(size: PixelSize(width: 1350, height: 1080), frameRate: 30, bitrate: 4500))
            for size in [PixelSize(width: 3840, height: 2160), PixelSize(width: 1080, height: 1920)] {
                let fitted = strictest.fitting(size)
                #expect(order.allSatisfy { $0.allows(fitted) }, "\(fitted)")
            }
        }
    }

    @Test func `Without limits every picture is allowed`() {
        #expect([PictureLimits]().strictest == PictureLimits())
        #expect([PictureLimits()].strictest.allows(PixelSize(width: 16384, height: 16384)))
    }
}
