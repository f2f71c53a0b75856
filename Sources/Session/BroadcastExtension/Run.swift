import CLinux
import Glibc
import Media

/// Runs an extension: reads frames from standard input, calls the handler, and exits the program after `finished`.
///
/// From here on, no other process of the user can read the program's memory, which receives secrets with the start, and
/// a crash leaves no core file (prctl(2), PR_SET_DUMPABLE).
///
/// - Parameter isReady: false if the broadcast is live only after the remote service accepted data. The handler then
///   reports it with `BroadcastHost.ready(_:)`.
public func run(_ handler: some BroadcastSampleHandler, isReady: Bool = true) -> Never {
    clinux_protect_memory()
    // If the host exits, the extension ends normally instead of with a signal.
    signal(SIGPIPE, SIG_IGN)
    let host = BroadcastHost(descriptor: STDOUT_FILENO)
    host.send(Reply(hello: 1, ready: isReady ? nil : false))
    do {
        try FrameDispatcher(handler: handler, host: host).run(descriptor: STDIN_FILENO)
    } catch let failure as BroadcastFailure {
        host.finish(with: failure)
    } catch {
        host.finish(with: BroadcastFailure(code: 500, message: "\(error)"))
    }
    exit(0)
}

/// Converts frames to calls of the handler.
struct FrameDispatcher<Handler: BroadcastSampleHandler> {
    let handler: Handler
    let host: BroadcastHost

    /// Reads until the event `finish`, or until the host closes the connection, which ends the broadcast too.
    func run(descriptor: Int32) throws {
        var reader = FrameReader()
        var isStarted = false
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            reader.append(buffer[..<count])
            while let frame = try reader.next() {
                if frame.header.kind == .control, let event = ControlEvent(json: frame.payload) {
                    if event.event == "finish" {
                        try handler.finished()
                        return
                    }
                    if event.event == "start" { isStarted = true }
                    try dispatch(event)
                } else {
                    try dispatch(frame)
                }
            }
        }
        if isStarted { try handler.finished() }
    }

    func dispatch(_ event: ControlEvent) throws {
        switch event.event {
        case "start":
            try handler.started(
                BroadcastStart(
                    setup: event.setup ?? [:], tracks: event.tracks ?? [], title: event.title,
                    wasLive: event.wasLive ?? false), host: host
            )
        case "clock": if let clock = event.clock { try handler.timelineBegan(at: clock) }
        case "pause": try handler.paused()
        case "resume": try handler.resumed()
        case "annotate": try handler.annotated(event.information ?? [:])
        case "clip":
            guard let path = event.path else { return }
            try handler.process(
                BroadcastClip(
                    path: path, start: MediaTime(seconds: event.start ?? 0),
                    duration: MediaTime(seconds: event.duration ?? 0)))
        default: break
        }
    }

    func dispatch(_ frame: Frame) throws {
        guard let track = Track(rawValue: frame.header.track) else { return }
        switch frame.header.kind {
        case .configuration: try handler.configured(track, data: frame.payload)
        case .sample:
            let header = frame.header
            try handler.process(
                BroadcastSample(
                    track: track, presentationTime: MediaTime(nanoseconds: header.presentationTime),
                    decodeTime: MediaTime(nanoseconds: header.decodeTime), isKeyframe: header.flags.contains(.keyframe),
                    hasGapBefore: header.flags.contains(.discontinuity), sequence: header.sequence, data: frame.payload)
            )
        default: break
        }
    }
}
