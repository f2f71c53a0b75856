import BroadcastExtension
import Glibc

/// The host's side of an extension that runs in a process of a test: its standard input, and what it printed.
enum ExtensionProcess {
    /// Makes these bytes the standard input, which ends after them. A pipe holds 64 KiB (pipe(7)), so this does not
    /// block.
    static func send(_ bytes: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard bytes.count < 65_536, pipe(&ends) == 0, write(ends[1], bytes, bytes.count) == bytes.count else {
            exit(90)
        }
        close(ends[1])
        dup2(ends[0], STDIN_FILENO)
        close(ends[0])
    }

    static func send(_ frames: [Frame]) {
        send(frames.flatMap { $0.header.bytes + $0.payload })
    }

    /// The replies in an output.
    static func replies(_ output: [UInt8]) -> [Reply?] {
        output.split(separator: 0x0a).map { Reply(line: $0) }
    }
}

extension Frame {
    /// A control frame with an event.
    static func event(_ name: String, _ fill: (inout ControlEvent) -> Void = { _ in }) -> Frame {
        var event = ControlEvent(event: name)
        fill(&event)
        return Frame(control: event.json)
    }

    static let start = event("start") { event in
        event.setup = ["account": "anna"]
        event.title = "A talk"
        event.tracks = [.init(name: "screen", id: 0, format: "h264-avcc", width: 1280, height: 720, fps: 30)]
    }

    static func sample(track: UInt8 = 0, flags: FrameHeader.Flags = [], sequence: UInt32 = 0, _ payload: [UInt8])
        -> Frame
    {
        Frame(
            header: FrameHeader(
                length: payload.count, kind: .sample, track: track, flags: flags, sequence: sequence,
                presentationTime: 2_000_000,
                decodeTime: 1_000_000),
            payload: payload)
    }
}
