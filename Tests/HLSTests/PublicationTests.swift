import Foundation
import HLS
import Media
import Testing

struct PublicationTests {
    private func publication(window: Int = 3, maximumWaitingByteCount: Int = 1000) -> Publication {
        let names = ObjectNames(
            playlist: "live.m3u8", format: .ts, date: Date(timeIntervalSince1970: 1_795_269_074), number: 0xAB)
        return Publication(
            names: names, playlist: MediaPlaylist(window: window, firstNumber: 7, targetDuration: 4),
            maximumWaitingByteCount: maximumWaitingByteCount)
    }

    private func segment(_ byte: UInt8 = 0, header: [UInt8]? = nil) -> Segment {
        Segment(
            header: header, bytes: [UInt8](repeating: byte, count: 100), duration: MediaTime(milliseconds: 4000),
            date: Date(timeIntervalSince1970: 0)
        )
    }

    /// Performs all available uploads at `time`, then all deletions, and returns their descriptions.
    private func steps(_ publication: inout Publication, at time: MediaTime = .zero) -> [String] {
        var steps: [String] = []
        while let object = publication.nextUpload() {
            steps.append("put " + object.name)
            publication.completeUpload(at: time)
        }
        while let name = publication.nextDeletion(at: time) {
            steps.append("delete " + name)
            publication.completeDeletion()
        }
        return steps
    }

    private func text(_ object: StoredObject?) -> String { String(decoding: object?.bytes ?? [], as: UTF8.self) }

    @Test func `A segment is uploaded before the playlist names it`() {
        var publication = publication()
        publication.append(segment())
        let done = steps(&publication)
        #expect(done == ["put live-20261121T135114Z-00ab-000000.ts", "put live.m3u8"])
        #expect(!publication.isFinished)
    }

    @Test func `A header is uploaded once, before the first segment that needs it`() {
        var publication = publication()
        for _ in 0..<2 { publication.append(segment(header: [1])) }
        let names = steps(&publication).map { $0.replacing("live-20261121T135114Z-00ab-", with: "") }
        #expect(names == ["put header0.mp4", "put 000000.ts", "put live.m3u8", "put 000001.ts", "put live.m3u8"])
    }

    @Test func `A segment that the store refuses is left out, and the next one is discontinuous`() {
        var publication = publication()
        publication.append(segment(1))
        _ = steps(&publication)
        publication.append(segment(2))
        #expect(publication.nextUpload()?.bytes.first == 2)
        publication.leaveOutSegment()
        #expect(publication.nextUpload() == nil && publication.droppedSegments == 1)
        #expect(publication.droppedDuration == MediaTime(milliseconds: 4000) && publication.waitingDuration == .zero)
        publication.append(segment(3))
        #expect(publication.nextUpload()?.bytes.first == 3)
        publication.completeUpload(at: .zero)
        #expect(text(publication.nextUpload()).contains("#EXT-X-DISCONTINUITY\n"))
    }

    @Test func `Old segments are deleted when no player can need them`() {
        var publication = publication()
        var deletions: [Int: [String]] = [:]
        for number in 0..<10 {
            publication.append(segment())
            let done = steps(&publication, at: MediaTime(milliseconds: Int64(number) * 4000)).filter {
                $0.hasPrefix("delete")
            }
            if !done.isEmpty { deletions[number] = done.map { String($0.suffix(9)) } }
        }
        // Segment 0 leaves the playlist at 12 s. It stays for its own 4 s and the 12 s of the playlist.
        #expect(deletions == [7: ["000000.ts"], 8: ["000001.ts"], 9: ["000002.ts"]])
    }

    @Test func `After an outage, segments that are uploaded in one burst are not deleted early`() {
        var publication = publication()
        for _ in 0..<20 { publication.append(segment()) }
        #expect(steps(&publication, at: MediaTime(milliseconds: 100_000)).allSatisfy { $0.hasPrefix("put") })
        #expect(publication.nextDeletion(at: MediaTime(milliseconds: 115_999)) == nil)
        #expect(publication.nextDeletion(at: MediaTime(milliseconds: 116_000))?.hasSuffix("000000.ts") == true)
    }

    @Test func `At the end, the final playlist is the last upload, and nothing is deleted early`() {
        var publication = publication()
        for _ in 0..<5 { publication.append(segment()) }
        _ = steps(&publication)
        publication.end()
        let object = publication.nextUpload()
        #expect(text(object).hasSuffix("#EXT-X-ENDLIST\n") && object?.kind == .playlist)
        #expect(steps(&publication, at: MediaTime(milliseconds: 15_000)) == ["put live.m3u8"])
        #expect(publication.isFinished && publication.hasPublishedEnd)
    }

    @Test func `An end during the upload of a playlist is still published`() {
        var publication = publication()
        publication.append(segment())
        _ = publication.nextUpload()
        publication.completeUpload(at: .zero)
        let first = publication.nextUpload()
        publication.end()
        publication.completeUpload(at: .zero)
        #expect(!text(first).contains("ENDLIST") && !publication.isFinished)
        let done = steps(&publication)
        #expect(done == ["put live.m3u8"] && publication.isFinished)
    }

    @Test func `If time is short, the final playlist is published without the segments that wait`() {
        var publication = publication()
        publication.append(segment())
        _ = steps(&publication)
        for _ in 0..<3 { publication.append(segment()) }
        publication.end()
        #expect(publication.nextUpload()?.kind == .segment)
        publication.skipToEnd()
        let last = publication.nextUpload()
        #expect(last?.kind == .playlist && text(last).hasSuffix("#EXT-X-ENDLIST\n"))
        #expect(text(last).components(separatedBy: "#EXTINF").count == 2 && publication.droppedSegments == 3)
        publication.completeUpload(at: .zero)
        #expect(publication.hasPublishedEnd && publication.nextUpload() == nil)
    }

    @Test func `Without an uploaded segment, an end in short time publishes nothing`() {
        var publication = publication()
        publication.append(segment())
        publication.end()
        _ = publication.nextUpload()
        publication.skipToEnd()
        #expect(publication.nextUpload() == nil && publication.isFinished && !publication.hasPublishedEnd)
    }

    @Test
    func `A playlist of an earlier process is continued with a discontinuity, and its segments are deleted in time`()
        throws
    {
        var first = publication()
        for _ in 0..<5 { first.append(segment()) }
        var left = ""
        while let object = first.nextUpload() {
            if object.kind == .playlist { left = text(object) }
            first.completeUpload(at: .zero)
        }
        let names = ObjectNames(
            playlist: "live.m3u8", format: .ts, date: Date(timeIntervalSince1970: 1_795_269_100), number: 0xCD)
        var second = Publication(
            names: names, playlist: MediaPlaylist(window: 3, firstNumber: 99, targetDuration: 4),
            maximumWaitingByteCount: 1000)
        let continued = try #require(
            MediaPlaylist(
                continuing: left, names: names, window: 3, targetDuration: 4, earliest: Date(timeIntervalSince1970: 0)))
        second.resume(continued)
        second.append(segment())
        _ = second.nextUpload()
        second.completeUpload(at: .zero)
        let lines = text(second.nextUpload()).split(separator: "\n").filter {
            !$0.hasPrefix("#EXT-X-PROGRAM") && !$0.hasPrefix("#EXTINF")
        }
        #expect(
            lines.suffix(5) == [
                "#EXT-X-INDEPENDENT-SEGMENTS", "live-20261121T135114Z-00ab-000003.ts",
                "live-20261121T135114Z-00ab-000004.ts",
                "#EXT-X-DISCONTINUITY", "live-20261121T135140Z-00cd-000000.ts",
            ])
        // The earlier process began with 7, and two segments had left its playlist.
        #expect(lines.contains("#EXT-X-MEDIA-SEQUENCE:10") && lines.contains("#EXT-X-TARGETDURATION:4"))
        second.completeUpload(at: .zero)
        // Also those that the earlier process did not delete, and one that it perhaps uploaded last.
        #expect(second.nextDeletion(at: MediaTime(milliseconds: 15_999)) == nil)
        var deleted: [String] = []
        while let name = second.nextDeletion(at: MediaTime(milliseconds: 16_000)) {
            deleted.append(name)
            second.completeDeletion()
        }
        #expect(deleted == [0, 1, 5, 2].map { "live-20261121T135114Z-00ab-00000\($0).ts" })
        second.append(segment())
        _ = steps(&second)
        second.append(segment())
        _ = steps(&second)
        second.append(segment())
        _ = second.nextUpload()
        second.completeUpload(at: .zero)
        let later = text(second.nextUpload())
        #expect(later.contains("#EXT-X-DISCONTINUITY-SEQUENCE:1\n") && !later.contains("#EXT-X-DISCONTINUITY\n"))
    }

    @Test(
        arguments: [
            (
                "live-20261121T135114Z-00ab-000015.m4s",
                ["000010.m4s", "000011.m4s", "000012.m4s", "000013.m4s", "000014.m4s"]
            ),
            ("live-20261121T135114Z-00ab-000001.m4s", ["000000.m4s"]), ("live-20261121T135114Z-00ab-000000.m4s", []),
            ("live-20261121T135114Z-00ab-header2.mp4", ["header0.mp4", "header1.mp4", "header3.mp4"]),
            ("live-2026.m4s", []), ("live-20261121T135114Z-00ab-holiday9.mp4", []),
            ("live-holiday-2026-000009.m4s", []),
            ("live-20261121T135114Z-00ab-99999999999999999999.m4s", []),
        ] as [(String, [String])])
    func `Only objects with names of a broadcast are deleted although the playlist does not name them`(
        name: String, expected: [String]
    ) throws {
        let date = Date(timeIntervalSince1970: 1_795_269_100)
        let names = ObjectNames(playlist: "live.m3u8", format: .fmp4, date: date, number: 0xCD)
        var publication = Publication(
            names: names, playlist: MediaPlaylist(window: 3, firstNumber: 99, targetDuration: 4),
            maximumWaitingByteCount: 1000)
        var left = MediaPlaylist(window: 3, firstNumber: 7, targetDuration: 4)
        let isHeader = name.hasSuffix(".mp4")
        for number in 0..<3 {
            let segment = isHeader || number > 0 ? "live-\(number).m4s" : name
            _ = left.append(
                .init(name: segment, duration: .zero, date: date, header: isHeader ? name : "live-header.mp4"))
        }
        publication.resume(left)
        publication.append(segment(header: [1]))
        _ = steps(&publication)
        // The first segment of the playlist has left it.
        let first = "delete " + (isHeader ? "live-0.m4s" : name)
        let others = expected.map { "delete live-20261121T135114Z-00ab-" + $0 }
        #expect(steps(&publication, at: MediaTime(milliseconds: 60_000)) == others + [first])
    }

    @Test func `A broadcast without a picture does not change an existing playlist`() {
        var publication = publication()
        publication.end()
        #expect(publication.nextUpload() == nil && publication.isFinished && !publication.hasPublishedEnd)
    }

    @Test func `While the store is away, the oldest waiting segments are dropped and a gap is marked`() {
        var publication = publication(maximumWaitingByteCount: 350)
        for byte in UInt8(0)..<6 { publication.append(segment(byte)) }
        #expect(publication.droppedSegments == 3 && publication.waitingSegments == 3)
        var bytes: [UInt8] = []
        var last = ""
        while let object = publication.nextUpload() {
            if object.kind == .segment { bytes.append(object.bytes[0]) }
            if object.kind == .playlist { last = text(object) }
            publication.completeUpload(at: .zero)
        }
        // The upload of the first segment can be in progress.
        #expect(bytes == [0, 4, 5])
        #expect(last.components(separatedBy: "#EXT-X-DISCONTINUITY\n").count == 2)
    }
}
