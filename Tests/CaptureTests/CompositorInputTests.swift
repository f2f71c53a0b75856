import CCompositorInput
import Testing

/// What a compositor sends, correct and malformed. The page behind the end of each block of memory cannot be read.
@Suite struct CompositorInputTests {
    // MARK: Formats

    @Test(arguments: CompositorRecords.formats) func `a format is accepted`(format: UInt32) {
        #expect(CompositorRecords.format(format).result.formats == 1)
    }

    @Test func `a size without pixels or with too many is no format`() {
        for (width, height, isAccepted) in [
            (1, 1, true), (16384, 16384, true), (0, 360, false), (640, 0, false), (16385, 1, false),
            (1, 0xFFFF_FFFF, false),
        ] {
            let records = CompositorRecords.format(width: UInt32(width), height: UInt32(height))
            #expect(records.result.formats == (isAccepted ? 1 : 0), "\(width) × \(height)")
        }
    }

    @Test func `the written format is the one that SPA writes`() {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = cci_write_format(8, 640, 360, &bytes, bytes.count)
        #expect(Array(bytes[..<count]) == CompositorRecords.formatPod(8, width: 640, height: 360))
    }

    @Test func `a format of something else, or without a size, is none`() {
        typealias Records = CompositorRecords
        let type = Records.property(1, Records.pod(3, Records.words(2)))
        let subtype = Records.property(2, Records.pod(3, Records.words(1)))
        let size = Records.property(0x20003, Records.pod(10, Records.words(640, 360)))
        let isFormat: [([UInt8], Bool)] = [
            (type + subtype + size, true),
            // Sound, no raw video, no type, no size.
            (Records.property(1, Records.pod(3, Records.words(1))) + subtype + size, false),
            (type + Records.property(2, Records.pod(3, Records.words(0x20001))) + size, false),
            (subtype + size, false),
            (type + subtype, false),
            // The size is a number, or one half of a size.
            (type + subtype + Records.property(0x20003, Records.pod(4, Records.words(640))), false),
            (type + subtype + Records.property(0x20003, Records.pod(10, Records.words(640))), false),
            // The size and the type of a range of sizes, and no size in it. It ends where the memory ends.
            (type + subtype + Records.property(0x20003, Records.pod(19, Records.words(0, 0, 8, 10))), false),
            // More properties than a format has.
            (type + subtype + [[UInt8]](repeating: size, count: 500).joined(), false),
        ]
        for (properties, isAccepted) in isFormat {
            let pod = Records.pod(15, Records.words(0x40003, 4) + properties)
            #expect(Records([("F", pod)]).result.formats == (isAccepted ? 1 : 0), "\(properties.count) bytes")
        }
        #expect(
            Records([("F", Records.pod(15, Records.words(0x40004, 4) + type + subtype + size))]).result.formats == 0)
        #expect(Records([("F", Records.pod(14, type + subtype + size))]).result.formats == 0)
        #expect(Records([("F", Records.pod(15, []))]).result.formats == 0)
    }

    // MARK: Pictures

    @Test(arguments: CompositorRecords.formats) func `a picture that just fits is accepted`(format: UInt32) {
        let isShort = format == 15 || format == 16
        let bytes = isShort ? 640 * 360 * 3 : 640 * 360 * 4
        for missing in 0...1 {
            let result = CompositorRecords.picture(format, memory: bytes - missing).result
            #expect(result.pictures == (missing == 0 ? 1 : 0))
        }
        let picture = CompositorRecords.picture(format, memory: bytes).result.picture
        #expect(picture.width == 640 && picture.height == 360 && picture.x == 0 && picture.y == 0)
        #expect(picture.bytes_per_pixel == (isShort ? 3 : 4) && picture.is_red_first == [7, 11, 15].contains(format))
    }

    /// The offset, size, stride and flags of a chunk of a picture of 640 × 360 pixels of four bytes, in memory of
    /// 1,000,000 bytes.
    @Test(arguments: [
        (chunk: [0, 1, 2560, 0], isAccepted: true),
        // A stride of zero or less is the width.
        ([0, 1, 0, 0], true), ([0, 1, 0xFFFF_F000, 0], true),
        ([78_400, 1, 2560, 0], true), ([78_401, 1, 2560, 0], false), ([0xFFFF_FFFF, 1, 2560, 0], false),
        ([0, 1, 2559, 0], false), ([0, 1, 4, 0], false), ([0, 1, 2778, 0], true), ([0, 1, 2779, 0], false),
        ([0, 1, 0x7FFF_FFFF, 0], false),
        // Empty, and corrupted.
        ([0, 0, 2560, 0], false), ([0, 1, 2560, 1], false), ([0, 1, 2560, 0xFFFF_FFFF], false),
    ]) func `a picture is inside of its memory`(chunk: [UInt32], isAccepted: Bool) {
        let records = CompositorRecords.picture(chunk: chunk, memory: 1_000_000)
        #expect(records.result.pictures == (isAccepted ? 1 : 0))
        if isAccepted { #expect(records.result.offset == Int64(chunk[0])) }
    }

    @Test func `a buffer without memory, chunk or format has no picture`() {
        #expect(CompositorRecords.picture(memory: 0).result.pictures == 0)
        #expect(CompositorRecords([("B", [])]).result.pictures == 0)
        let all = CompositorRecords.picture(memory: 921_600).records
        for left in ["F", "M", "C"] as [Character] {
            #expect(CompositorRecords(all.filter { $0.kind != left }).result.pictures == 0)
        }
    }

    @Test(arguments: [
        (crop: [20, 30, 100, 50], visible: [20, 30, 100, 50] as [Int32]?),
        ([639, 359, 1, 1], [639, 359, 1, 1]),
        // Without a size, it is no crop.
        ([20, 30, 0, 50], [0, 0, 640, 360]), ([0xFFFF_FFFF, 0, 0, 0], [0, 0, 640, 360]),
        ([0xFFFF_FFFF, 0, 10, 10], nil), ([0, 0x8000_0000, 10, 10], nil), ([541, 0, 100, 10], nil),
        ([0, 0, 641, 1], nil), ([0, 311, 10, 50], nil), ([1, 1, 0xFFFF_FFFF, 0xFFFF_FFFF], nil),
        ([0x7FFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFF, 0x7FFF_FFFF], nil),
    ]) func `the visible part is inside of the picture`(crop: [UInt32], visible: [Int32]?) {
        let records = CompositorRecords.picture(memory: 921_600, [("R", CompositorRecords.words(crop))])
        let result = records.result
        #expect(result.pictures == (visible == nil ? 0 : 1))
        let picture = result.picture
        if let visible { #expect([picture.x, picture.y, picture.width, picture.height] == visible) }
    }

    @Test(arguments: [(0, 0), (7, 7), (8, 0), (0xFFFF_FFFF, 0)] as [(UInt32, UInt32)])
    func `an unknown transform is none`(sent: UInt32, used: UInt32) {
        let records = CompositorRecords.picture(memory: 921_600, [("T", CompositorRecords.words(sent))])
        #expect(records.result.picture.transform == used && records.result.pictures == 1)
    }

    @Test func `the header has a time, and can say that the picture is corrupted`() {
        func result(_ header: [UInt8]) -> cci_result {
            CompositorRecords.picture(memory: 921_600, [("H", header)]).result
        }
        let good = CompositorRecords.words(0, 0, 5, 1, 0, 0, 0, 0)
        #expect(result(good).pictures == 1 && result(good).time == 4_294_967_301)
        #expect(result(CompositorRecords.words(2, 0, 5, 0, 0, 0, 0, 0)).pictures == 0)
        let negative = result(CompositorRecords.words(0, 0, 0, 0x8000_0000, 0, 0, 0, 0))
        #expect(negative.pictures == 1 && negative.time == 0)
    }

    @Test(arguments: ["H", "R", "T", "D", "P"] as [Character])
    func `metadata that is too short or all ones is no reason to read behind it`(kind: Character) {
        for count in 0...40 {
            let short = CompositorRecords.picture(memory: 921_600, [(kind, [UInt8](repeating: 0xFF, count: count))])
            _ = short.result
        }
        let short = CompositorRecords.picture(memory: 921_600, [(kind, [0xFF])]).result
        #expect(short.pictures == 1 && short.cursor_news == 0 && short.time == 0)
    }

    // MARK: Cursor

    @Test func `a cursor has a position and an image`() {
        let result = CompositorRecords.cursor().result
        #expect(result.cursor_news == 1 && result.cursor.is_visible && result.cursor.serial == 1)
        #expect(result.cursor.x == 103 && result.cursor.y == -5 && result.cursor.hot_x == 1 && result.cursor.hot_y == 2)
        #expect(result.cursor.width == 3 && result.cursor.height == 2 && result.cursor_sum == 3 * 2 * 4)
        #expect(!result.cursor.is_red_first)
        #expect(CompositorRecords.cursor(identifier: 0).result.cursor_news == 0)
        // The image is as before.
        let moved = CompositorRecords.cursor(bitmapOffset: 0).result
        #expect(moved.cursor.is_visible && moved.cursor.serial == 0 && moved.cursor.width == 0)
    }

    @Test func `an image of the cursor that is malformed counts as none`() {
        let images = [
            CompositorRecords.cursor(format: 0), .cursor(format: 16), .cursor(width: 0), .cursor(height: 0),
            .cursor(width: 1025, height: 1, stride: 4100), .cursor(height: 1025), .cursor(height: 3),
            .cursor(width: 0xFFFF_FFFF), .cursor(stride: 11), .cursor(stride: 0), .cursor(stride: 0xFFFF_FFFF),
            .cursor(stride: 0x7FFF_FFFF), .cursor(offset: 0), .cursor(offset: 19), .cursor(offset: 21),
            .cursor(offset: 0xFFFF_FFFF),
        ]
        for (index, image) in images.enumerated() {
            let cursor = image.result.cursor
            #expect(cursor.is_visible && cursor.serial == 1 && cursor.width == 0 && cursor.height == 0, "\(index)")
        }
    }

    @Test func `a description of an image outside of the metadata is not read`() {
        for offset in [27, 29, 65, 0xFFFF_FFFF] as [UInt32] {
            let cursor = CompositorRecords.cursor(bitmapOffset: offset).result.cursor
            #expect(cursor.is_visible && cursor.width == 0, "\(offset)")
        }
        #expect(CompositorRecords.cursor(bitmapOffset: 0xFFFF_FFFF).result.cursor.serial == 0)
    }

    @Test func `the largest image of a cursor is read, and a smaller one after it`() {
        let large = CompositorRecords.cursor(width: 100, height: 100, stride: 400)
        let both = CompositorRecords(large.records + CompositorRecords.cursor().records).result
        #expect(large.result.cursor_sum == 40_000 && both.cursor_sum == 24 && both.cursor.serial == 2)
    }
}

/// Input for `cci_feed`.
struct CompositorRecords {
    var records: [(kind: Character, content: [UInt8])]

    init(_ records: [(kind: Character, content: [UInt8])]) {
        self.records = records
    }

    var bytes: [UInt8] {
        records.flatMap { kind, content in
            [kind.asciiValue ?? 0, UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
        }
    }

    /// What is read. An invariant that is violated is an issue.
    var result: cci_result {
        var result = cci_result()
        let bytes = bytes
        if let violated = cci_feed(bytes, bytes.count, &result) { Issue.record("\(String(cString: violated))") }
        return result
    }

    /// RGBx, BGRx, RGBA, BGRA, RGB and BGR (enum spa_video_format).
    static let formats: [UInt32] = [7, 8, 11, 12, 15, 16]

    static func words(_ words: UInt32...) -> [UInt8] { self.words(words) }

    static func words(_ words: [UInt32]) -> [UInt8] {
        words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    /// A value of SPA (spa/pod/pod.h): its size, its type, and its body.
    static func pod(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        words(UInt32(body.count), type) + body + [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
    }

    static func property(_ key: UInt32, _ value: [UInt8]) -> [UInt8] { words(key, 0) + value }

    /// A format of raw video (spa/param/format.h).
    static func formatPod(_ format: UInt32, width: UInt32, height: UInt32) -> [UInt8] {
        pod(
            15,
            words(0x40003, 4) + property(1, pod(3, words(2))) + property(2, pod(3, words(1)))
                + property(0x20001, pod(3, words(format))) + property(0x20003, pod(10, words(width, height)))
                + property(0x20004, pod(11, words(0, 1))) + property(0x20005, pod(11, words(60, 1))))
    }

    static func format(_ format: UInt32 = 8, width: UInt32 = 640, height: UInt32 = 360) -> CompositorRecords {
        CompositorRecords([("F", formatPod(format, width: width, height: height))])
    }

    /// A picture of 640 × 360 pixels.
    static func picture(
        _ format: UInt32 = 8, chunk: [UInt32] = [0, 1, 0, 0], memory: Int,
        _ metadata: [(kind: Character, content: [UInt8])] = []
    ) -> CompositorRecords {
        let size = [UInt8(memory & 0xFF), UInt8(memory >> 8 & 0xFF), UInt8(memory >> 16)]
        return CompositorRecords(
            Self.format(format).records + [("M", size), ("C", words(chunk))] + metadata + [("B", [])])
    }

    /// A cursor of 3 × 2 pixels, whose bytes are 1, at (103, -5).
    static func cursor(
        identifier: UInt32 = 1, bitmapOffset: UInt32 = 28, format: UInt32 = 12, width: UInt32 = 3, height: UInt32 = 2,
        stride: UInt32 = 12, offset: UInt32 = 20
    ) -> CompositorRecords {
        let isLarge = width == 100
        return CompositorRecords([
            (
                "P",
                words(identifier, 0, 103, UInt32(bitPattern: -5), 1, 2, bitmapOffset)
                    + words(format, width, height, stride, offset)
                    + [UInt8](repeating: 1, count: isLarge ? 40_000 : 24)
            ),
            ("B", []),
        ])
    }
}
