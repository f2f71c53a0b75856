import CPipeWire
import Testing

/// The pixels of turned and mirrored monitors.
@Suite struct TurnedPictureTests {
    /// Parts that end within a block of pixels, at its edge, and after it.
    @Test(arguments: 1..<8 as Range<UInt32>)
    func `each pixel of a part goes where its transform says, and the others stay`(transform: UInt32) {
        let (width, height) = (53, 37)
        let parts = [(0, 0, width, height), (5, 3, 16, 16), (16, 16, 1, 20), (52, 0, 1, 1), (1, 30, 40, 7)]
        for (x, y, partWidth, partHeight) in parts {
            let from = UnsafeMutablePointer<UInt32>.allocate(capacity: width * height)
            let to = UnsafeMutablePointer<UInt32>.allocate(capacity: width * height)
            defer {
                from.deallocate()
                to.deallocate()
            }
            for index in 0..<width * height { (from + index).initialize(to: UInt32(index + 1)) }
            to.initialize(repeating: 0, count: width * height)
            let part = cpw_rectangle(x: Int32(x), y: Int32(y), width: Int32(partWidth), height: Int32(partHeight))
            let upright = from.withMemoryRebound(to: UInt8.self, capacity: width * height * 4) { source in
                to.withMemoryRebound(to: UInt8.self, capacity: width * height * 4) { target in
                    cpw_turn(source, Int32(width), Int32(height), transform, part, target)
                }
            }
            let uprightWidth = transform % 2 == 0 ? width : height
            var wanted = [UInt32](repeating: 0, count: width * height)
            for row in y..<y + partHeight {
                for column in x..<x + partWidth {
                    var (toX, toY): (Int32, Int32) = (0, 0)
                    cpw_turn_point(Int32(column), Int32(row), Int32(width), Int32(height), transform, &toX, &toY)
                    wanted[Int(toY) * uprightWidth + Int(toX)] = from[row * width + column]
                    #expect(
                        toX >= upright.x && toX < upright.x + upright.width && toY >= upright.y
                            && toY < upright.y + upright.height)
                }
            }
            #expect(Array(UnsafeBufferPointer(start: to, count: width * height)) == wanted, "\(part)")
            #expect(Int(upright.width) * Int(upright.height) == partWidth * partHeight)
        }
    }

    /// The compositor chooses the position of the cursor.
    @Test(arguments: 0..<8 as Range<UInt32>)
    func `a point that is far outside stays outside`(transform: UInt32) {
        for point in [Int32.min, Int32.max] {
            var (x, y): (Int32, Int32) = (0, 0)
            cpw_turn_point(point, point, 53, 37, transform, &x, &y)
            #expect(!(0..<53).contains(x) && !(0..<53).contains(y))
        }
    }
}
