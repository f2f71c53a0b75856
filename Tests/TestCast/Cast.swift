import CTestCast
import Glibc
import Synchronization
import TestPatterns

/// The node, the picture that it sends, and what is sent by itself.
///
/// Commands, with their answers:
///
///     fill RRGGBB X Y W H     paints into the picture: ok
///     send                    sends the picture: sent, or busy if no buffer was free, or late if no reader came
///     empty                   sends a buffer without a picture: as above
///     bad                     sends a buffer that claims more than it has: as above
///     cursor X Y, cursor off  the pointer of the buffers that follow: ok
///     image SIDE AARRGGBB X Y a new image of the pointer with its hot spot, in the next buffer: ok
///     crop WxH X Y            the visible part of the buffers that follow: ok
///     transform N             how their content is turned: ok
///     resize WxH              agrees on another size; the picture is black: ok, or late
///     clock RATE              sends the painted clock from now on: ok
///     everything RATE         changes every pixel from now on: ok
///     shrink                  is silent, and takes the memory of the buffers away until the next reader begins: ok
///     stop                    sends nothing by itself: ok
///     count                   prints how many pictures were sent and how many found no buffer: count SENT BUSY
///     starts                  prints how often a reader began to take pictures: starts N
///
/// Whenever a reader begins, the picture is sent once more, as mutter does. What was sent last is sent again ten times
/// a second, because PipeWire keeps a buffer until the next one if it comes before the reader has the previous one.
/// `silent` turns both off, and `loud` on.
final class Cast: Sendable {
    private enum Mode: Sendable {
        case still
        case clock(rate: Int)
        case everything(rate: Int)
    }

    /// An image of the pointer: its side, its colour, and the position of its hot spot.
    private typealias Image = (side: Int, colour: UInt32, x: Int, y: Int)

    private struct State: Sendable {
        var pixels: [UInt8]
        var width: Int
        var height: Int
        var crop: (x: Int, y: Int, width: Int, height: Int)?
        var transform: UInt32 = 0
        var cursor: (x: Int, y: Int)?
        /// An image that the next picture carries.
        var image: Image?
        /// The newest image. It is sent again when the flow starts again, because the first picture of a flow can be
        /// lost.
        var newestImage: Image?
        var mode = Mode.still
        var resends = true
        var sent = 0
        var busy = 0
        var starts: Int32 = 0
        /// When the next picture of the mode is due, in ns of CLOCK_MONOTONIC.
        var next: Int64 = 0
        var frame = 0
        /// What is sent again, and when; nil if nothing is.
        var repetition: (kind: Kind, pixels: [UInt8], image: Image?, time: Int64)?
    }

    private enum Kind: Sendable {
        case picture
        case empty
        case bad
    }

    private let cast: OpaquePointerBox
    private let state: Mutex<State>

    var node: UInt32 { test_cast_node(cast.pointer) }
    var serial: UInt64 { test_cast_serial(cast.pointer) }

    init?(_ options: Options) {
        var wanted = test_cast_options()
        wanted.width = Int32(options.width)
        wanted.height = Int32(options.height)
        wanted.rate = Int32(options.rate)
        wanted.padding = Int32(options.padding)
        wanted.buffers = Int32(options.buffers)
        wanted.starts_without_memory = Int32(options.startsWithoutMemory)
        wanted.has_cursor = options.metadata.contains("cursor")
        wanted.has_crop = options.metadata.contains("crop")
        wanted.has_transform = options.metadata.contains("transform")
        wanted.has_header = options.metadata.contains("header")
        wanted.uses_memory_pointers = options.usesMemoryPointers
        wanted.most_buffers = Int32(options.mostBuffers)
        wanted.node_name = UnsafePointer(strdup(options.name))
        let name = strdup(options.format)
        wanted.format = UnsafePointer(name)
        guard let opened = test_cast_open(&wanted) else { return nil }
        cast = OpaquePointerBox(pointer: opened)
        state = Mutex(
            State(pixels: Self.black(options.width, options.height), width: options.width, height: options.height))
    }

    private static func black(_ width: Int, _ height: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: width * height * 4)
    }

    // MARK: Commands

    /// Obeys a line, and returns the answer.
    func obey(_ line: String) -> String {
        let words = line.split(separator: " ").map(String.init)
        let numbers = words.dropFirst().compactMap { Int($0) }
        switch words.first {
        case "fill" where words.count == 6:
            let colour = UInt32(words[1], radix: 16) ?? 0
            let place = words.dropFirst(2).map { Int($0) ?? 0 }
            state.withLock { Self.fill(colour, x: place[0], y: place[1], width: place[2], height: place[3], in: &$0) }
        case "send": return send(.picture)
        case "empty": return send(.empty)
        case "bad": return send(.bad)
        case "cursor": state.withLock { $0.cursor = numbers.count == 2 ? (numbers[0], numbers[1]) : nil }
        case "image" where words.count == 5:
            let colour = UInt32(words[2], radix: 16) ?? 0
            state.withLock { state in
                state.newestImage = (Int(words[1]) ?? 0, colour, Int(words[3]) ?? 0, Int(words[4]) ?? 0)
                state.image = state.newestImage
            }
        case "crop" where words.count == 4:
            guard let (width, height) = Numbers.size(words[1]) else { return "wrong" }
            state.withLock { $0.crop = (Int(words[2]) ?? 0, Int(words[3]) ?? 0, width, height) }
        case "transform": state.withLock { $0.transform = UInt32(numbers.first ?? 0) }
        case "resize" where words.count == 2:
            guard let (width, height) = Numbers.size(words[1]) else { return "wrong" }
            return resize(width, height)
        case "clock": begin(.clock(rate: numbers.first ?? 30))
        case "everything": begin(.everything(rate: numbers.first ?? 30))
        case "stop": begin(.still)
        case "shrink":
            state.withLock { ($0.resends, $0.repetition) = (false, nil) }
            test_cast_shrink(cast.pointer)
        case "silent": state.withLock { ($0.resends, $0.repetition) = (false, nil) }
        case "loud": state.withLock { $0.resends = true }
        case "count": return state.withLock { "count \($0.sent) \($0.busy)" }
        case "starts": return "starts \(test_cast_starts(cast.pointer))"
        default: return "wrong"
        }
        return "ok"
    }

    private func begin(_ mode: Mode) {
        state.withLock { state in
            state.mode = mode
            state.next = Self.now()
        }
    }

    /// Sends once a reader takes pictures and a buffer is free.
    private func send(_ kind: Kind) -> String {
        let end = Self.now() + 20_000_000_000
        while Self.now() < end {
            switch state.withLock({ transmit(kind, $0.pixels, &$0) }) {
            case TEST_CAST_SENT:
                return "sent"
            case TEST_CAST_BUSY: usleep(1000)
            default: usleep(1000)
            }
        }
        return "late"
    }

    private func resize(_ width: Int, _ height: Int) -> String {
        state.withLock { state in
            (state.width, state.height, state.crop, state.repetition) = (width, height, nil, nil)
            state.pixels = Self.black(width, height)
        }
        test_cast_resize(cast.pointer, Int32(width), Int32(height))
        let end = Self.now() + 20_000_000_000
        while Self.now() < end {
            if agrees(on: width, height) { return "ok" }
            usleep(1000)
        }
        return "late"
    }

    private func agrees(on width: Int, _ height: Int) -> Bool {
        var (agreedWidth, agreedHeight): (Int32, Int32) = (0, 0)
        test_cast_size(cast.pointer, &agreedWidth, &agreedHeight)
        return Int(agreedWidth) == width && Int(agreedHeight) == height && test_cast_is_streaming(cast.pointer)
    }

    // MARK: What is sent by itself

    /// Sends on a thread beside the commands what has a clock of its own.
    func beginAdvancing() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let cast = Unmanaged<Cast>.fromOpaque(context).takeUnretainedValue()
                while true { cast.advance() }
            }, Unmanaged.passRetained(self).toOpaque())
    }

    /// Sends what is due, and sleeps until something can be.
    private func advance() {
        let wait = state.withLock { state -> Int64 in
            let starts = test_cast_starts(cast.pointer)
            if starts != state.starts {
                if state.image == nil { state.image = state.newestImage }
                // The buffers can be later than the state.
                if !state.resends || transmit(.picture, state.pixels, &state) == TEST_CAST_SENT {
                    state.starts = starts
                }
            }
            let rate: Int
            switch state.mode {
            case .still:
                repeatLast(&state)
                return 2_000_000
            case .clock(let wanted), .everything(let wanted): rate = wanted
            }
            let now = Self.now()
            guard now >= state.next else { return state.next - now }
            state.next = max(state.next + 1_000_000_000 / Int64(rate), now)
            state.frame += 1
            if case .clock = state.mode { paintClock(&state) } else { paintEverything(&state) }
            _ = transmit(.picture, state.pixels, &state)
            return 0
        }
        if wait > 0 { usleep(UInt32(min(wait, 5_000_000) / 1000)) }
    }

    private func repeatLast(_ state: inout State) {
        guard let repetition = state.repetition, Self.now() >= repetition.time else { return }
        // The first one has the image too.
        if state.image == nil { state.image = repetition.image }
        let result = transmit(repetition.kind, repetition.pixels, &state)
        if result == TEST_CAST_SENT { state.repetition?.image = nil }
        state.repetition?.time = Self.now() + 100_000_000
    }

    private func paintClock(_ state: inout State) {
        if state.frame == 1 { Self.fill(0x606060, x: 0, y: 0, width: state.width, height: state.height, in: &state) }
        let cells = ClockPattern.cells(milliseconds: UInt32(truncatingIfNeeded: Self.now() / 1_000_000))
        for row in 0..<ClockPattern.rows {
            for column in 0..<ClockPattern.columns {
                let (columns, rows) = ClockPattern.cell(column: column, row: row).pixels(
                    width: state.width, height: state.height)
                Self.fill(
                    cells[row * ClockPattern.columns + column] ? 0xFFFFFF : 0, x: columns.lowerBound,
                    y: rows.lowerBound, width: columns.count,
                    height: rows.count, in: &state)
            }
        }
    }

    private func paintEverything(_ state: inout State) {
        let shift = state.frame * 7
        state.pixels.withUnsafeMutableBytes { bytes in
            let words = bytes.bindMemory(to: UInt32.self)
            for y in 0..<state.height {
                for x in 0..<state.width {
                    words[y * state.width + x] =
                        UInt32(truncatingIfNeeded: (x + shift) &* 0x010305 ^ (y + shift) &* 0x030501) & 0xFFFFFF
                }
            }
        }
    }

    // MARK: Sending

    private func transmit(_ kind: Kind, _ pixels: [UInt8], _ state: inout State) -> test_cast_result {
        guard agrees(on: state.width, state.height) else { return TEST_CAST_NOT_STREAMING }
        var frame = test_cast_frame()
        if let crop = state.crop {
            (frame.crop_x, frame.crop_y, frame.crop_width, frame.crop_height) = (
                Int32(crop.x), Int32(crop.y), Int32(crop.width), Int32(crop.height)
            )
        }
        frame.transform = state.transform
        if let cursor = state.cursor {
            (frame.has_cursor, frame.cursor_x, frame.cursor_y) = (true, Int32(cursor.x), Int32(cursor.y))
        }
        if let image = state.image {
            (frame.cursor_side, frame.cursor_colour, frame.hot_x, frame.hot_y) = (
                Int32(image.side), image.colour, Int32(image.x), Int32(image.y)
            )
        }
        frame.has_bad_stride = kind == .bad
        let result = pixels.withUnsafeBytes { bytes in
            frame.pixels = kind == .empty ? nil : bytes.bindMemory(to: UInt8.self).baseAddress
            return test_cast_send(cast.pointer, &frame)
        }
        if result == TEST_CAST_SENT {
            state.sent += 1
            if case .still = state.mode, state.resends {
                state.repetition = (kind, pixels, state.image, Self.now() + 100_000_000)
            }
            // An image is sent once.
            state.image = nil
        } else if result == TEST_CAST_BUSY {
            state.busy += 1
        }
        return result
    }

    private static func fill(_ colour: UInt32, x: Int, y: Int, width: Int, height: Int, in state: inout State) {
        let size = (state.width, state.height)
        state.pixels.withUnsafeMutableBytes { bytes in
            let words = bytes.bindMemory(to: UInt32.self)
            for row in max(0, y)..<min(size.1, y + height) {
                for column in max(0, x)..<min(size.0, x + width) { words[row * size.0 + column] = colour }
            }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The C object, which locks by itself.
struct OpaquePointerBox: @unchecked Sendable {
    let pointer: OpaquePointer
}
