import CYUV
import Glibc
import Media
import Mix

// Converts one 1080p frame alternately with the BT.709 kernel of this project and with libyuv's BT.601 converter.
// Prints both medians and their ratio as JSON.

let size = PixelSize(width: 1920, height: 1080)
let source = PixelBuffer(format: .bgra, size: size)
source.withUnsafeMutableBytes { bytes in
    var state: UInt32 = 1
    for index in bytes.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = UInt8(state >> 24)
    }
}
let target = PixelBuffer(format: .i420, size: size)

func nanoseconds(_ body: () -> Void) -> Int {
    var start = timespec()
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    body()
    clock_gettime(CLOCK_MONOTONIC, &end)
    return (end.tv_sec - start.tv_sec) * 1_000_000_000 + end.tv_nsec - start.tv_nsec
}

func convertWithLibyuv() {
    source.withUnsafeBytes { input in
        target.withUnsafeMutableBytes { output in
            guard let from = input.baseAddress?.assumingMemoryBound(to: UInt8.self),
                let to = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            else { return }
            let planes = target.planeOffsets
            _ = ARGBToI420(
                from, Int32(source.stride), to, Int32(target.stride), to + planes.u, Int32(target.chromaStride),
                to + planes.v,
                Int32(target.chromaStride), Int32(size.width), Int32(size.height))
        }
    }
}

var ours: [Int] = []
var theirs: [Int] = []
for round in 0..<220 {
    let mine = nanoseconds {
        source.withBytes { ColourConversion.convert($0, stride: source.stride, to: PixelRect(size), of: target) }
    }
    let other = nanoseconds(convertWithLibyuv)
    // The first rounds warm up the caches.
    if round >= 20 {
        ours.append(mine)
        theirs.append(other)
    }
}
let mine = Double(ours.sorted()[ours.count / 2]) / 1e6
let other = Double(theirs.sorted()[theirs.count / 2]) / 1e6
print("{\"broadcast_ms\": \(mine), \"libyuv_ms\": \(other), \"ratio\": \(mine / other)}")
