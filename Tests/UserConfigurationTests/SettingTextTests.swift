import Media
import Testing
import UserConfiguration

struct SettingTextTests {
    @Test(
        arguments: [
            ("1280x720", PixelSize(width: 1280, height: 720)), ("1281X721", PixelSize(width: 1280, height: 720)),
            ("16x16", PixelSize(width: 16, height: 16)), ("16384x16384", PixelSize(width: 16384, height: 16384)),
            ("15x16", nil),
            ("16x16385", nil), ("1280", nil), ("1280x", nil), ("x720", nil), ("1280x720x3", nil), ("axb", nil),
            ("", nil), ("1280 x 720", nil),
            ("720p", PixelSize(width: 1280, height: 720)), ("480P", PixelSize(width: 854, height: 480)),
            ("1080p", PixelSize(width: 1920, height: 1080)),
            ("4k", PixelSize(width: 3840, height: 2160)), ("p", nil), ("0p", nil), ("99999p", nil), ("720i", nil),
        ] as [(String, PixelSize?)])
    func `A size has a width and a height`(text: String, size: PixelSize?) {
        #expect(PixelSize(text: text) == size)
        #expect(
            PixelSize.written(text).map(\.roundedDownToEven) == (text.contains("x") || text.contains("X") ? size : nil))
    }

    @Test(
        arguments: [
            ("1280x720+100+50", PixelRect(x: 100, y: 50, width: 1280, height: 720)),
            ("2x2+0+0", PixelRect(x: 0, y: 0, width: 2, height: 2)),
            ("10X20+-5-6", PixelRect(x: -5, y: -6, width: 10, height: 20)),
            ("10x20-5+-6", PixelRect(x: -5, y: -6, width: 10, height: 20)),
            ("65535x65535+65535-65535", PixelRect(x: 65535, y: -65535, width: 65535, height: 65535)), ("1x2+0+0", nil),
            ("10x20", nil),
            ("10x20+1", nil), ("10x20+1+2+3", nil), ("10x20+a+b", nil), ("10x20++1+2", nil), ("10x20+1+2 ", nil),
            ("10x20+65536+0", nil),
            ("65536x2+0+0", nil), ("10+1+2", nil), ("x+1+2", nil), ("", nil), ("10x20--1+2", nil),
        ] as [(String, PixelRect?)])
    func `A rectangle has a size and a place`(text: String, rectangle: PixelRect?) {
        #expect(PixelRect(text: text) == rectangle)
    }

    @Test(
        arguments: [
            ("90s", 90), ("5m", 300), ("1h", 3600), ("12", 12), ("0.5m", 30), ("1000000", 1_000_000), ("0", nil),
            ("-1s", nil), ("s", nil), ("", nil),
            ("1d", nil), ("1000001", nil), ("300h", nil), ("nan", nil), ("infm", nil), ("1 s", nil),
            ("1h30m", 5400), ("1h30m10s", 5410), ("2m5s", 125), ("00:02", 2), ("1:30", 90), ("1:00:00", 3600),
            ("01:30:10.5", 5410.5), ("30m1h", nil),
            ("1h30", nil), ("1m1m", nil), ("1:60", nil), ("1:2:3:4", nil), (":30", nil), ("1:-5", nil), ("00:00", nil),
            ("1e3", nil),
        ] as [(String, Double?)])
    func `A time has seconds, minutes or hours`(text: String, seconds: Double?) {
        #expect(MediaTime(text: text)?.seconds == seconds)
    }

    @Test(
        arguments: [
            ("4500", 4500), ("6M", 6000), ("6m", 6000), ("2.5M", 2500), ("4500k", 4500), ("4500kbit/s", 4500),
            ("6Mbps", 6000), ("6Mbit", 6000),
            ("-1", -1), ("6G", nil), ("M", nil), ("4500bps", nil), ("", nil), ("fast", nil), ("nan", nil),
            ("1e30", nil),
            ("99999999999999999999", nil),
        ] as [(String, Int?)])
    func `A bitrate is in kbit/s, or has a unit`(text: String, bitrate: Int?) {
        #expect(Bitrate.parse(text) == bitrate)
    }

    @Test(
        arguments: [
            ("0x1a00007", 0x1a00007), ("0X1F", 0x1f), ("27262983", 27_262_983), ("0xffffffff", 0xffff_ffff), ("0", nil),
            ("0x100000000", nil),
            ("0x", nil), ("-1", nil), ("window", nil), ("", nil),
        ] as [(String, UInt?)])
    func `A window has a number`(text: String, number: UInt?) {
        #expect(WindowNumber.parse(text) == number)
    }

    @Test(arguments: [
        ("main", true), ("A-z_09", true), (String(repeating: "a", count: 64), true), ("", false),
        (String(repeating: "a", count: 65), false),
        ("a b", false), ("a/b", false), ("ä", false), (".", false),
    ])
    func `A session's name can be the name of a file`(name: String, isValid: Bool) {
        #expect(SessionNaming.isValid(name) == isValid)
    }
}
