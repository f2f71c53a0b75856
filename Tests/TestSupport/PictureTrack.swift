import TestPatterns

/// What each frame of a recording shows: the painted clock, the slate of a paused broadcast, or something else.
package struct PictureTrack: Sendable, CustomStringConvertible {
    /// What a frame shows.
    package enum Kind: Character, Sendable {
        /// The painted clock, readable.
        case clock = "c"
        /// The slate: its plain ground in all four corners, and no clock.
        case slate = "s"
        /// Neither of them.
        case other = "?"
    }

    /// One frame.
    package struct Frame: Sendable {
        /// Seconds in the container's own time line.
        package let pts: Double
        /// What it shows.
        package let kind: Kind
    }

    /// All frames, in order.
    package private(set) var frames: [Frame] = []

    /// Reads every frame of a source. Set the decoder's layout to gray.
    nonisolated(nonsending) package static func read(
        _ decoder: FrameDecoder, with reader: ClockReader = ClockReader(), in peers: Peers
    ) async throws -> PictureTrack {
        var track = PictureTrack()
        try await decoder.forEachFrame(in: peers) { frame in
            track.frames.append(Frame(pts: frame.pts, kind: kind(of: frame, with: reader)))
            return true
        }
        return track
    }

    /// What a frame shows.
    package static func kind(of frame: DecodedFrame, with reader: ClockReader = ClockReader()) -> Kind {
        if reader.milliseconds(in: frame) != nil { return .clock }
        let corners = [(0.0, 0.0), (0.8, 0.0), (0.0, 0.8), (0.8, 0.8)].map { x, y in
            frame.mean(of: PatternRectangle(x: x, y: y, width: 0.2, height: 0.2)).reduce(0, +)
        }
        // The slate's ground: 40 in limited range. The scene around the clock is lighter, a black picture darker.
        return corners.allSatisfy { abs($0 - 28) < 3 } ? .slate : .other
    }

    /// How many frames show that.
    package func count(_ kind: Kind) -> Int { frames.count { $0.kind == kind } }

    /// The order of what is shown, without repetitions and without `other`: `"csc"` is the clock, the slate, and the
    /// clock again.
    package var order: String {
        frames.filter { $0.kind != .other }.reduce(into: "") { order, frame in
            if order.last != frame.kind.rawValue { order.append(frame.kind.rawValue) }
        }
    }

    /// The times of the first and of the last frame of a kind, or nil if no frame is of that kind.
    package func span(of kind: Kind) -> ClosedRange<Double>? {
        guard let first = frames.first(where: { $0.kind == kind }), let last = frames.last(where: { $0.kind == kind })
        else { return nil }
        return first.pts...last.pts
    }

    package var description: String { String(frames.map(\.kind.rawValue)) }
}
