/// Splits an extension's output into lines, and detects a flood.
///
/// It has no clock: the caller passes the time of each read.
package struct ReplyLines {
    /// The maximum length of a line in bytes.
    package static let maximumLineByteCount = 64 << 10
    /// Output rate, in lines and bytes per second, above which an extension is treated as flooding.
    static let maximumLinesPerSecond = 1000
    static let maximumBytesPerSecond = 1 << 20

    /// Why reading stopped; nil while it continues.
    package enum Failure: Error, Equatable {
        case lineTooLong
        case flood
    }

    private var partial: [UInt8] = []
    private var windowStart: ContinuousClock.Instant?
    private var lineCount = 0
    private var byteCount = 0

    package init() {}

    /// Returns the lines that `bytes` completed, without their newlines and without empty lines.
    package mutating func append(_ bytes: ArraySlice<UInt8>, at now: ContinuousClock.Instant) throws(Failure)
        -> [[UInt8]]
    {
        if let start = windowStart, now - start < .seconds(1) {
            byteCount += bytes.count
        } else {
            windowStart = now
            lineCount = 0
            byteCount = bytes.count
        }
        var lines: [[UInt8]] = []
        for part in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).dropLast() {
            if partial.count + part.count > Self.maximumLineByteCount { throw .lineTooLong }
            if !partial.isEmpty || !part.isEmpty { lines.append(partial + part) }
            lineCount += 1
            partial = []
        }
        partial += bytes.suffix(from: bytes.lastIndex(of: 0x0a).map { $0 + 1 } ?? bytes.startIndex)
        if partial.count > Self.maximumLineByteCount { throw .lineTooLong }
        if lineCount > Self.maximumLinesPerSecond || byteCount > Self.maximumBytesPerSecond { throw .flood }
        return lines
    }

    /// Returns the text after the last newline, at the end of the output.
    package mutating func takeRest() -> [UInt8]? {
        defer { partial = [] }
        return partial.isEmpty ? nil : partial
    }
}
