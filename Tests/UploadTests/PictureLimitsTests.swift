import Media
import Testing
import Upload

/// What several services allow together.
struct PictureLimitsTests {
    @Test func `Rates are at most the limit`() {
        let limits = PictureLimits(frameRate: 30, bitrate: 4500)
        #expect(
            limits.fitting(frameRate: 60) == 30 && limits.fitting(frameRate: 24) == 24
                && PictureLimits().fitting(frameRate: 240) == 240)
        #expect(
            limits.fitting(bitrate: 9000) == 4500 && limits.fitting(bitrate: 800) == 800
                && PictureLimits().fitting(bitrate: 9000) == 9000)
    }

    @Test func `The strictest limits satisfy every service, in any order`() {
        let wide = PictureLimits(size: PixelSize(width: 1920, height: 1080), frameRate: 60, bitrate: 6000)
        let tall = PictureLimits(size: PixelSize(width: 1080, height: 1350), bitrate: 4500)
        let open = PictureLimits(frameRate: 30)
        for order in [[wide, tall, open], [open, tall, wide], [tall, wide, open]] {
            let strictest = order.strictest
            #expect(
                strictest == PictureLimits(size: PixelSize(width: 1350, height: 1080), frameRate: 30, bitrate: 4500))
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
