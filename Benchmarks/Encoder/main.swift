import Foundation
import Glibc
import Media

// Encodes screens from files with the encoder of `broadcast`, with x264 or with OpenH264, or with x264's own rate
// control, decodes the stream with ffmpeg, and prints how sharp each tick was. Nothing depends on the speed of the
// machine.
//
//   EncoderBenchmark broadcast|openh264|x264 KBIT/S sequence FILE.yuv [TICKS]
//   EncoderBenchmark broadcast|openh264|x264 KBIT/S pages SECONDS[+FIRST] FILE.yuv...
//
// Each page is shown for SECONDS, or for times between 0.5 and 4 s if that is 0; the first page for FIRST seconds.
// The pictures are I420, 1920x1080, 30 a second. With CSV=PATH in the environment, a line for each tick is written.

/// Ends the program with a message.
func fail(_ message: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let arguments = CommandLine.arguments
guard arguments.count >= 5, let kilobits = Int(arguments[2]) else {
    fail(
        "usage: EncoderBenchmark broadcast|openh264|x264 KBIT/S sequence FILE [TICKS] | pages SECONDS[+FIRST] FILE...",
        status: 64)
}
let size = PixelSize(width: 1920, height: 1080)
let frameRate = 30
let isPages = arguments[3] == "pages"
let times = arguments[4].split(separator: "+").compactMap { Double($0).map { Int(($0 * Double(frameRate)).rounded()) } }
let sequence =
    isPages
    ? try Sequence(
        pages: Array(arguments[5...]), ticks: times[0], first: times.count > 1 ? times[1] : nil, size: size,
        frameRate: frameRate)
    : try Sequence(
        file: arguments[4], size: size, frameRate: frameRate, limit: arguments.count > 5 ? Int(arguments[5])! : .max)
var contender: any Contender =
    arguments[1] == "x264"
    ? try PlainEncoder(size: size, frameRate: frameRate, kilobits: kilobits)
    : try OwnEncoder(
        size: size, frameRate: frameRate, kilobits: kilobits, library: arguments[1] == "openh264" ? .openH264 : .x264)

func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

var report = Report(kilobits: kilobits, frameRate: frameRate)
let stream = NSTemporaryDirectory() + "/encoder-benchmark-\(getpid()).h264"
let file = fopen(stream, "wb")!
for (tick, picture) in sequence.pictures.enumerated() {
    let start = processorTime()
    let data = try contender.encode(picture, tick: tick)
    report.note(bytes: data.count, seconds: processorTime() - start)
    fwrite(data, 1, data.count, file)
}
fclose(file)
defer { unlink(stream) }

let decoder = Process()
decoder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
decoder.arguments =
    ["ffmpeg", "-v", "error", "-f", "h264", "-i", stream, "-fps_mode", "passthrough"]
    + ["-pix_fmt", "yuv420p", "-f", "rawvideo", "-"]
let output = Pipe()
decoder.standardOutput = output
try decoder.run()
let descriptor = output.fileHandleForReading.fileDescriptor
let decoded = UnsafeMutableRawBufferPointer.allocate(byteCount: size.area * 3 / 2, alignment: 64)
var count = 0
pictures: while true {
    var filled = 0
    while filled < decoded.count {
        let got = read(descriptor, decoded.baseAddress! + filled, decoded.count - filled)
        if got <= 0 { break pictures }
        filled += got
    }
    guard count < sequence.pictures.count else { break }
    report.judge(sequence.pictures[count], decoded: UnsafeRawBufferPointer(decoded))
    count += 1
}
decoder.waitUntilExit()
guard count == sequence.pictures.count else {
    fail("\(count) of \(sequence.pictures.count) pictures decoded")
}
report.print(title: "\(arguments[1]) \(kilobits)", pictures: sequence.pictures, isPages: isPages)
