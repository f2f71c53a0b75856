import LANExtension
import Media
import Testing

struct PictureGroupTests {
    /// Adds pictures of a size, 30 a second, the first one as a keyframe. Returns the numbers of those with which the
    /// group's end was wanted.
    private func add(_ count: Int, bytes: Int, milliseconds: Int64 = 33, to group: inout PictureGroup<Int>) -> [Int] {
        (0..<count).filter {
            group.add(
                $0, size: bytes, isKeyframe: $0 == 0, presented: MediaTime(milliseconds: Int64($0) * milliseconds))
        }
    }

    @Test func `A group begins with its keyframe`() {
        var group = PictureGroup<Int>()
        group.add(7, size: 10, isKeyframe: false, presented: .zero)
        #expect(group.pictures == [])
        #expect(add(3, bytes: 10, to: &group) == [] && group.pictures == [0, 1, 2])
        #expect(add(1, bytes: 10, to: &group) == [] && group.pictures == [0])
    }

    @Test func `The group of a still screen goes on`() {
        var group = PictureGroup<Int>()
        #expect(add(100, bytes: 50, milliseconds: 1000, to: &group) == [] && group.pictures.count == 100)
    }

    @Test func `Where much moves, the end is wanted once, after a second and a half`() {
        var group = PictureGroup<Int>()
        #expect(add(100, bytes: 20_000, to: &group) == [46] && group.pictures.count == 100)
        // 100 pictures have 2.0 MB, and the limit is 2 MiB.
        #expect(add(110, bytes: 20_000, to: &group) == [46] && group.pictures == [])
        #expect(add(50, bytes: 5000, to: &group) == [])
    }

    @Test func `A group of many pictures should end, too`() {
        var group = PictureGroup<Int>()
        #expect(add(240, bytes: 50, to: &group) == [119] && group.pictures.count == 240)
        #expect(add(241, bytes: 50, to: &group) == [119] && group.pictures == [])
        group.add(9, size: 50, isKeyframe: true, presented: .zero)
        #expect(group.pictures == [9])
    }
}
