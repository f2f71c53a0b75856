import BroadcastExtension
import Upload

/// The protocol between an extension and its host.
extension FuzzTargets {
    /// Parses frames. The result must not depend on how the bytes are split, and parsed headers must be the same after
    /// encoding and parsing them again.
    public static func frames(_ bytes: [UInt8]) {
        let whole = frames(bytes, pieceLength: bytes.count)
        let pieces = frames(bytes, pieceLength: 7)
        precondition(whole.frames == pieces.frames && whole.failed == pieces.failed, "the split changes the result")
        for frame in whole.frames {
            precondition((try? FrameHeader(frame.header.bytes)) == frame.header, "a header changed")
            _ = ControlEvent(json: frame.payload)
        }
    }

    private static func frames(_ bytes: [UInt8], pieceLength: Int) -> (frames: [Frame], failed: Bool) {
        var reader = FrameReader()
        var frames: [Frame] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.append(rest.prefix(pieceLength))
            rest = rest.dropFirst(pieceLength)
            do {
                while let frame = try reader.next() { frames.append(frame) }
            } catch {
                return (frames, true)
            }
        }
        return (frames, false)
    }

    /// Parses an extension's replies. The lines must not depend on how the bytes are split, and no line may be too
    /// long. A parsed reply must be the same after encoding and parsing it again.
    public static func replies(_ bytes: [UInt8]) {
        let whole = lines(bytes, pieceLength: max(bytes.count, 1))
        let pieces = lines(bytes, pieceLength: 7)
        precondition((whole == nil) == (pieces == nil), "the split changes the result")
        guard let whole, let pieces else { return }
        precondition(whole == pieces, "the split changes the result")
        for line in whole {
            precondition(!line.isEmpty && line.count <= ReplyLines.maximumLineByteCount)
            guard let reply = Reply(line: line) else { continue }
            precondition(Reply(line: reply.line.dropLast()) == reply, "a reply changed")
        }
    }

    /// Returns nil if the reader threw an error: a flood, or a line without an end.
    private static func lines(_ bytes: [UInt8], pieceLength: Int) -> [[UInt8]]? {
        var reader = ReplyLines()
        // All bytes arrive at the same time, which is the worst case.
        let now = ContinuousClock.now
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            do {
                lines += try reader.append(rest.prefix(pieceLength), at: now)
            } catch {
                return nil
            }
            rest = rest.dropFirst(pieceLength)
        }
        return lines + (reader.takeRest().map { [$0] } ?? [])
    }
}
