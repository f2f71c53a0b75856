import Capture
import ContentCapture
import Media
import Testing

struct PictureFeedTests {
    @Test func `The last picture is shown before the end`() throws {
        let feed = PictureFeed(size: PixelSize(width: 64, height: 64))
        let source = FeedSource(feed)
        let pixels = [UInt8](repeating: 7, count: 64 * 64 * 4)
        let isShown = pixels.withUnsafeBytes { feed.push(bgra: $0, stride: 64 * 4) }
        feed.end()
        #expect(isShown)
        #expect(try source.nextSample(at: .zero) != nil && source.condition == .shown)
        #expect(try source.nextSample(at: MediaTime(milliseconds: 33)) == nil && source.condition == .ended)
    }
}
