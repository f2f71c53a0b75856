import Foundation
import HLS
import Media
import Testing

struct PublicationTests {
    private func publication(window: Int = 3, maximumWaitingByteCount: Int = 1000) -> Publication {
        let names = ObjectNames(playlist: "live.m3u8", format: .ts, date: Date(timeIntervalSince1970: 1_795_269_074), number: 0xAB)
        return Publication(
            names: names, playlist: MediaPlaylist(window: window, firstNumber: 7, targetDuration: 4),
            maximumWaitingByteCount: maximumWaitingByteCount)
    }

    private func segment(_ byte: UInt8 = 0, header: [UInt8]? = nil) -> Segment {
        Segment(
            header: header, bytes: [UInt8](repeating: byte, count: 100), duration: MediaTime(milliseconds: 4000), date: Date(timeIntervalSince1970: 0)
        )
    }

    /// Completes all available steps and returns their descriptions.
    private func steps(_ publication: inout Publication) -> [String] {
        var steps: [String] = []
        while let step = publication.nextStep() {
            steps.append(description(step))
            publication.complete()
        }
        return steps
    }

    private func description(_ step: Publication.Step) -> String {
        switch step {
        case .put(let object): "put " + object.name
        case .delete(let name): "delete " + name
        }
    }

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

    @Test func `Old segments are deleted when no player can need them`() {
        var publication = publication()
        var log: [[String]] = []
        for _ in 0..<10 {
            publication.append(segment())
            log.append(steps(&publication).filter { $0.hasPrefix("delete") })
        }
        // Segment 0 leaves the window of 12 s when segment 3 arrives, and is deleted 16 s later.
        #expect(log.prefix(7).flatMap { $0 } == [])
        #expect(log[7] == ["delete live-20261121T135114Z-00ab-000000.ts"] && log[8] == ["delete live-20261121T135114Z-00ab-000001.ts"])
    }

    @Test func `At the end, the playlist declares the end, and only its segments remain`() {
        var publication = publication()
        for _ in 0..<5 { publication.append(segment()) }
        _ = steps(&publication)
        publication.end()
        guard case .put(let object)? = publication.nextStep() else {
            Issue.record("no playlist at the end")
            return
        }
        #expect(String(decoding: object.bytes, as: UTF8.self).hasSuffix("#EXT-X-ENDLIST\n") && object.kind == .playlist)
        let done = steps(&publication).map { $0.suffix(9) }
        #expect(done == ["live.m3u8", "000000.ts", "000001.ts"])
        #expect(publication.isFinished)
    }

    @Test func `An end during the upload of a playlist is still published`() {
        var publication = publication()
        publication.append(segment())
        _ = publication.nextStep()
        publication.complete()
        guard case .put(let first)? = publication.nextStep() else {
            Issue.record("no playlist")
            return
        }
        publication.end()
        publication.complete()
        #expect(!String(decoding: first.bytes, as: UTF8.self).contains("ENDLIST") && !publication.isFinished)
        let done = steps(&publication)
        #expect(done == ["put live.m3u8"] && publication.isFinished)
    }

    @Test func `A broadcast without a picture does not change an existing playlist`() {
        var publication = publication()
        publication.end()
        let step = publication.nextStep()
        #expect(step == nil && publication.isFinished)
    }

    @Test func `While the store is away, the oldest waiting segments are dropped and a gap is marked`() {
        var publication = publication(maximumWaitingByteCount: 350)
        for byte in UInt8(0)..<6 { publication.append(segment(byte)) }
        #expect(publication.droppedSegments == 3 && publication.waitingSegments == 3)
        var bytes: [UInt8] = []
        var last = ""
        while let step = publication.nextStep() {
            if case .put(let object) = step, object.kind == .segment { bytes.append(object.bytes[0]) }
            if case .put(let object) = step, object.kind == .playlist { last = String(decoding: object.bytes, as: UTF8.self) }
            publication.complete()
        }
        // The upload of the first segment can be in progress.
        #expect(bytes == [0, 4, 5])
        #expect(last.components(separatedBy: "#EXT-X-DISCONTINUITY\n").count == 2)
    }
}
