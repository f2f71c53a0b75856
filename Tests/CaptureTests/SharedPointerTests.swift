import CPipeWire
import Media
import PortalCapture
import Testing

/// The pointer of a shared desktop, as its streams describe it.
@Suite struct SharedPointerTests {
    /// Describes a visible pointer of 2x2 pixels at 10, 10 with this position of its hot spot.
    private func describe(_ pointer: inout SharedPointer, serial: UInt32, hotSpot: Int32) {
        let pixels = [UInt8](repeating: 255, count: 16)
        pixels.withUnsafeBufferPointer { pixels in
            pointer.update(
                from: cpw_cursor(
                    is_visible: true, x: 10, y: 10, hot_x: hotSpot, hot_y: hotSpot, width: 2, height: 2,
                    serial: serial, pixels: pixels.baseAddress, is_red_first: false))
        }
    }

    private func rectangle(of pointer: SharedPointer) -> PixelRect { pointer.rectangle { ($0, $1) } }

    @Test func `an image with the same serial number is the one before it`() {
        var pointer = SharedPointer()
        describe(&pointer, serial: 1, hotSpot: 0)
        describe(&pointer, serial: 1, hotSpot: 1)
        #expect(rectangle(of: pointer) == PixelRect(x: 10, y: 10, width: 2, height: 2))
        describe(&pointer, serial: 2, hotSpot: 1)
        #expect(rectangle(of: pointer) == PixelRect(x: 9, y: 9, width: 2, height: 2))
    }

    @Test func `the first image of another stream replaces that of the stream before it`() {
        var pointer = SharedPointer()
        describe(&pointer, serial: 1, hotSpot: 0)
        pointer.beginStream()
        describe(&pointer, serial: 1, hotSpot: 1)
        #expect(rectangle(of: pointer) == PixelRect(x: 9, y: 9, width: 2, height: 2))
    }

    @Test func `the pointer of another stream is hidden until the stream describes it`() {
        var pointer = SharedPointer()
        describe(&pointer, serial: 1, hotSpot: 0)
        pointer.noteDrawn()
        pointer.beginStream()
        #expect(rectangle(of: pointer).isEmpty)
        #expect(pointer.isChanged)
    }
}
