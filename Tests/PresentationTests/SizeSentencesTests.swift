import Media
import Presentation
import Testing

struct SizeSentencesTests {
    @Test(
        arguments: [
            (PixelSize(width: 641, height: 361), "The picture has even numbers of pixels: --size X gives 640x360."),
            (PixelSize(width: 640, height: 361), "The picture has even numbers of pixels: --size X gives 640x360."),
            (PixelSize(width: 640, height: 360), nil),
        ] as [(PixelSize, String?)])
    func `An odd size is told with the size that is used`(size: PixelSize, note: String?) {
        #expect(SizeSentences.rounded("--size X", size) == note)
    }
}
