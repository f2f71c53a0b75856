import BroadcastExtension
import Upload

/// What an extension and its host say to each other.
extension FuzzTargets {
    /// Frames: in one piece and in small ones they are the same, and what was read can be written.
    public static func frames(_ bytes: [UInt8]) {
        let whole = frames(bytes, pieceLength: bytes.count)
        let pieces = frames(bytes, pieceLength: 7)
        precondition(whole.frames == pieces.frames && whole.failed == pieces.failed, "where the bytes are cut makes a difference")
        for frame in whole.frames {
            precondition((try? FrameHeader(frame.header.bytes)) == frame.header, "a header changed on the way")
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

    /// An extension's answers: in one piece and in small ones they are the same lines, none of them is too long, and what was read as an answer can
    /// be written.
    public static func replies(_ bytes: [UInt8]) {
        let whole = lines(bytes, pieceLength: max(bytes.count, 1))
        let pieces = lines(bytes, pieceLength: 7)
        precondition((whole == nil) == (pieces == nil), "where the bytes are cut makes a difference")
        guard let whole, let pieces else { return }
        precondition(whole == pieces, "where the bytes are cut makes a difference")
        for line in whole {
            precondition(!line.isEmpty && line.count <= ReplyLines.maximumLineByteCount)
            guard let reply = Reply(line: line) else { continue }
            precondition(Reply(line: reply.line.dropLast()) == reply, "an answer changed on the way")
        }
    }

    /// nil where it was ended for a flood or a line without an end.
    private static func lines(_ bytes: [UInt8], pieceLength: Int) -> [[UInt8]]? {
        var reader = ReplyLines()
        // All within one second: the harshest of all clocks.
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
