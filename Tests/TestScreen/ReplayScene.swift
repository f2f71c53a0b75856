import CX11
import Foundation
import Glibc

/// Paints a recorded workload: images, and frames that copy parts of them. `Benchmarks/bench/workloads.py` writes the
/// file.
///
/// All numbers of the file are 32-bit little endian: a header of 8 (magic, version 1, width, height, frames a second,
/// number of images, number of frames, 0), each image (width, height, pixels B, G, R, 0), and each frame (number of
/// copies, number of shown rectangles, the copies with 7 numbers each, the rectangles with 4). The last frame stays.
///
/// For each frame that changes something it prints a line `frame NUMBER NANOSECONDS` with the time of CLOCK_MONOTONIC
/// at which the server had processed it.
final class ReplayScene: Scene {
    private struct Copy {
        var image: Int
        var x, y, width, height, toX, toY: Int32
    }

    private struct Frame {
        var copies: [Copy] = []
        var shown: [XRectangle] = []
    }

    private static let magic: UInt32 = 0x5941_4C50

    let framesPerSecond: Int
    private let data: Data
    /// The size and the position of the pixels of each image.
    private var images: [(width: Int, height: Int, offset: Int)] = []
    private var frames: [Frame] = []
    private var pixmaps: [Pixmap] = []
    private var next = 0

    init(path: String) throws(TestScreenError) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else {
            throw .usage("\(path) cannot be read")
        }
        self.data = data
        var position = 0
        func number() throws(TestScreenError) -> Int {
            guard position + 4 <= data.count else { throw .usage("\(path) is too short") }
            defer { position += 4 }
            return Int(
                data.withUnsafeBytes {
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: UInt32.self))
                })
        }
        guard try number() == Int(Self.magic), try number() == 1 else { throw .usage("\(path) is no workload") }
        position += 8
        framesPerSecond = max(try number(), 1)
        let (imageCount, frameCount) = (try number(), try number())
        position += 4
        for _ in 0..<imageCount {
            let (width, height) = (try number(), try number())
            images.append((width, height, position))
            position += width * height * 4
        }
        for _ in 0..<frameCount {
            var frame = Frame()
            let (copies, shown) = (try number(), try number())
            for _ in 0..<copies {
                let image = try number()
                var places: [Int32] = []
                for _ in 0..<6 { places.append(Int32(try number())) }
                frame.copies.append(
                    Copy(
                        image: image, x: places[0], y: places[1], width: places[2], height: places[3], toX: places[4],
                        toY: places[5]))
            }
            for _ in 0..<shown {
                let (x, y, width, height) = (try number(), try number(), try number(), try number())
                frame.shown.append(XRectangle(x: Int16(x), y: Int16(y), width: UInt16(width), height: UInt16(height)))
            }
            frames.append(frame)
        }
    }

    func paint(on canvas: Canvas) {
        if pixmaps.isEmpty {
            pixmaps = images.map { image in
                data.withUnsafeBytes {
                    canvas.pixmap(width: image.width, height: image.height, pixels: $0.baseAddress! + image.offset)
                }
            }
        }
        next = 0
        advance(on: canvas)
    }

    func advance(on canvas: Canvas) {
        guard next < frames.count else { return }
        let frame = frames[next]
        next += 1
        guard !frame.copies.isEmpty else { return }
        for copy in frame.copies {
            XCopyArea(
                canvas.display, pixmaps[copy.image], canvas.pixmap, canvas.graphics, copy.x, copy.y, UInt32(copy.width),
                UInt32(copy.height),
                copy.toX, copy.toY)
        }
        for area in frame.shown {
            canvas.present(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height))
        }
        canvas.synchronise()
        print("frame \(next - 1) \(MonotonicClock.now())")
        fflush(nil)
    }
}
