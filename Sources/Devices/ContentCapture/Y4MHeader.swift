import Capture
import Media

/// The first line of a YUV4MPEG2 stream (yuv4mpeg(5) of mjpegtools): `YUV4MPEG2 W1280 H720 F30:1 Ip A1:1 C420jpeg`.
struct Y4MHeader: Equatable {
    var size: PixelSize
    /// Frames a second, as a fraction.
    var rate: (numerator: Int, denominator: Int)

    static func == (left: Y4MHeader, right: Y4MHeader) -> Bool { left.size == right.size && left.rate == right.rate }

    /// - Parameter path: the path for the error message.
    init(line: [UInt8], path: String) throws(CaptureError) {
        let fields = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard fields.first == "YUV4MPEG2" else {
            throw .malformedContent(path: path, .notY4M)
        }
        var width: Int?
        var height: Int?
        var rate = (numerator: 30, denominator: 1)
        for field in fields.dropFirst() {
            let value = field.dropFirst()
            switch field.first {
            case "W": width = Int(value)
            case "H": height = Int(value)
            case "F":
                let parts = value.split(separator: ":").compactMap { Int($0) }
                guard parts.count == 2, parts[0] > 0, parts[1] > 0, parts[0] <= 1_000_000, parts[1] <= 1_000_000,
                    parts[0] <= 1000 * parts[1], parts[1] <= 1000 * parts[0]
                else { throw .malformedContent(path: path, .invalidFrameRate(String(value))) }
                rate = (parts[0], parts[1])
            case "I" where value != "p" && value != "?":
                throw .malformedContent(path: path, .interlaced)
            case "C" where !["420", "420jpeg", "420mpeg2", "420paldv"].contains(value):
                throw .malformedContent(path: path, .unsupportedPixels(String(value)))
            case "X" where value == "COLORRANGE=FULL":
                throw .malformedContent(path: path, .fullRange)
            default: break
            }
        }
        size = PixelSize(width: width ?? 0, height: height ?? 0)
        guard size.isEncodable, size == size.roundedDownToEven else {
            throw .malformedContent(path: path, .unsupportedSize)
        }
        self.rate = rate
    }

    /// Returns the presentation time of frame `index`, relative to the first frame.
    func time(of index: Int) -> MediaTime {
        MediaTime(value: Int64(index) * Int64(rate.denominator), timescale: Int64(rate.numerator))
    }

    /// Frames a second, rounded to an integer.
    var nominalRate: Int { max(1, (rate.numerator + rate.denominator / 2) / rate.denominator) }
}
