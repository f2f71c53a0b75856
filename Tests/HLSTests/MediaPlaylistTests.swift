import Foundation
import HLS
import Media
import Testing

struct MediaPlaylistTests {
    private let start = Date(timeIntervalSince1970: 1_795_269_074.25)

    private func entry(_ number: Int, milliseconds: Int64 = 4000, isDiscontinuous: Bool = false, header: String? = nil)
        -> MediaPlaylist.Entry
    {
        MediaPlaylist.Entry(
            name: "live-\(number).ts", duration: MediaTime(milliseconds: milliseconds),
            date: start + 4 * Double(number),
            isDiscontinuous: isDiscontinuous, header: header)
    }

    @Test func `A playlist has the format of RFC 8216`() {
        var playlist = MediaPlaylist(window: 3, firstNumber: 100, targetDuration: 4)
        let removed = playlist.append(entry(0)) + playlist.append(entry(1, milliseconds: 3967, isDiscontinuous: true))
        #expect(removed == [])
        #expect(
            playlist.text(isEnded: false) == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:100
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-PROGRAM-DATE-TIME:2026-11-21T13:51:14.250Z
                #EXTINF:4.000,
                live-0.ts
                #EXT-X-DISCONTINUITY
                #EXT-X-PROGRAM-DATE-TIME:2026-11-21T13:51:18.250Z
                #EXTINF:3.967,
                live-1.ts

                """)
    }

    @Test func `Sequence numbers count the segments that left the window`() {
        var playlist = MediaPlaylist(window: 3, firstNumber: 100, targetDuration: 4)
        for number in 0..<4 { _ = playlist.append(entry(number, isDiscontinuous: number == 1)) }
        let removed = playlist.append(entry(4)).map(\.name)
        #expect(removed == ["live-1.ts"])
        let lines = playlist.text(isEnded: true).split(separator: "\n")
        #expect(lines.contains("#EXT-X-MEDIA-SEQUENCE:102") && lines.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1"))
        #expect(lines.filter { !$0.hasPrefix("#") } == ["live-2.ts", "live-3.ts", "live-4.ts"])
        #expect(lines.last == "#EXT-X-ENDLIST")
    }

    @Test func `A window of 0 keeps all segments in an EVENT playlist`() {
        var playlist = MediaPlaylist(window: 0, firstNumber: 0, targetDuration: 4)
        for number in 0..<40 { _ = playlist.append(entry(number)) }
        #expect(playlist.text(isEnded: false).contains("#EXT-X-PLAYLIST-TYPE:EVENT\n") && playlist.entries.count == 40)
    }

    @Test func `A header precedes the first segment that needs it, even after the window moved`() {
        var playlist = MediaPlaylist(window: 3, firstNumber: 0, targetDuration: 4)
        for number in 0..<3 { _ = playlist.append(entry(number, header: "a.mp4")) }
        _ = playlist.append(entry(3, isDiscontinuous: true, header: "b.mp4"))
        let lines = playlist.text(isEnded: false).split(separator: "\n")
        #expect(lines.contains("#EXT-X-VERSION:6"))
        #expect(
            lines.filter { !$0.hasPrefix("#") || $0.contains("MAP") || $0.hasSuffix("DISCONTINUITY") } == [
                "#EXT-X-MAP:URI=\"a.mp4\"", "live-1.ts", "live-2.ts", "#EXT-X-DISCONTINUITY",
                "#EXT-X-MAP:URI=\"b.mp4\"", "live-3.ts",
            ])
    }

    @Test func `No segment exceeds the target duration, rounded to seconds`() {
        var playlist = MediaPlaylist(window: 3, firstNumber: 0, targetDuration: 4)
        _ = playlist.append(entry(0, milliseconds: 4499))
        #expect(playlist.text(isEnded: false).contains("#EXT-X-TARGETDURATION:4\n"))
        _ = playlist.append(entry(1, milliseconds: 4500))
        #expect(playlist.text(isEnded: false).contains("#EXT-X-TARGETDURATION:5\n"))
    }

    // MARK: Continuing

    private func left(_ change: (inout MediaPlaylist) -> Void = { _ in }, window: Int = 3, isEnded: Bool = false)
        -> String
    {
        var playlist = MediaPlaylist(window: window, firstNumber: 100, targetDuration: 4)
        for number in 0..<4 { _ = playlist.append(entry(number, isDiscontinuous: number == 0)) }
        change(&playlist)
        return playlist.text(isEnded: isEnded)
    }

    private func continued(
        _ text: String, format: SegmentFormat = .ts, window: Int = 3, earliest: Date = Date(timeIntervalSince1970: 0)
    ) -> MediaPlaylist? {
        let names = ObjectNames(playlist: "live.m3u8", format: format, date: start, number: 1)
        return MediaPlaylist(continuing: text, names: names, window: window, targetDuration: 2, earliest: earliest)
    }

    @Test func `A playlist of an earlier process is read as it was written`() throws {
        for text in [left(), left { _ = $0.append(self.entry(4, milliseconds: 3967, isDiscontinuous: true)) }] {
            #expect(continued(text)?.text(isEnded: false) == text)
        }
        let fragments = left({ for number in 4..<8 { _ = $0.append(self.fragment(number)) } })
        #expect(continued(fragments, format: .fmp4)?.text(isEnded: false) == fragments)
        let event = left(window: 0)
        #expect(continued(event, window: 0)?.text(isEnded: false) == event)
    }

    private func fragment(_ number: Int) -> MediaPlaylist.Entry {
        MediaPlaylist.Entry(
            name: "live-\(number).m4s", duration: MediaTime(milliseconds: 4000), date: start,
            header: "live-header\(number / 6).mp4")
    }

    @Test func `A playlist that is ended, old, foreign or of another kind is not continued`() {
        #expect(continued(left(isEnded: true)) == nil)
        // The last segment ends 16 s after the start.
        #expect(continued(left(), earliest: start + 15.9) != nil && continued(left(), earliest: start + 16.1) == nil)
        #expect(continued(left(), window: 0) == nil && continued(left(window: 0)) == nil)
        #expect(continued(left(), format: .fmp4) == nil)
        for name in ["other-1.ts", "live-/../../x.ts", "live-1.mp4", "http://example.com/live-1.ts", "live-1 .ts"] {
            let text = left {
                _ = $0.append(
                    MediaPlaylist.Entry(name: name, duration: MediaTime(milliseconds: 4000), date: self.start))
            }
            #expect(continued(text) == nil, "\(name)")
        }
        for text in [
            "", "#EXTM3U", "<html></html>", left().replacing("#EXTINF:4", with: "#EXTINF:-4"),
            left().replacing("T13", with: "X13"),
        ] {
            #expect(continued(text) == nil, "\(text)")
        }
    }

    @Test func `Every part of a playlist is read or rejected`() {
        let bytes = Array(left { _ = $0.append(self.fragment(9)) }.utf8)
        for length in 0..<bytes.count {
            _ = continued(String(decoding: bytes.prefix(length), as: UTF8.self))
            var changed = bytes
            changed[length] ^= 0x15
            _ = continued(String(decoding: changed, as: UTF8.self))
        }
    }
}
