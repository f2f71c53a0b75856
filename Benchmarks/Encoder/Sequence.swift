import Glibc
import Media

/// The screens that are encoded, one I420 picture for each tick: a raw file, or pages that replace each other.
struct Sequence {
    let size: PixelSize
    let frameRate: Int
    /// The picture of each tick. Ticks that show the same page share it.
    let pictures: [PixelBuffer]

    /// Reads a file of raw I420 pictures.
    init(file: String, size: PixelSize, frameRate: Int, limit: Int) throws(SequenceError) {
        self.size = size
        self.frameRate = frameRate
        pictures = Array(try Self.read(file, size: size).prefix(limit))
    }

    /// Shows each page for a time, in ticks; 0 for times between 0.5 and 4 s.
    ///
    /// - Parameter first: the ticks of the first page, which move the others against the keyframes.
    init(pages: [String], ticks: Int, first: Int?, size: PixelSize, frameRate: Int) throws(SequenceError) {
        self.size = size
        self.frameRate = frameRate
        let mixed = [60, 69, 21, 90, 33, 15, 120, 45, 27, 75]
        var pictures: [PixelBuffer] = []
        for (number, page) in pages.enumerated() {
            guard let picture = try Self.read(page, size: size).first else { throw .tooShort(page) }
            let count = ticks > 0 ? ticks : mixed[number % mixed.count]
            pictures += Array(repeating: picture, count: number == 0 ? first ?? count : count)
        }
        self.pictures = pictures
    }

    private static func read(_ path: String, size: PixelSize) throws(SequenceError) -> [PixelBuffer] {
        guard let file = fopen(path, "rb") else { throw .unreadable(path) }
        defer { fclose(file) }
        var pictures: [PixelBuffer] = []
        while true {
            let picture = PixelBuffer(format: .i420, size: size)
            let count = picture.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, file) }
            guard count == picture.byteCount else { break }
            // Equal pictures share their memory.
            if let last = pictures.last, isEqual(last, picture) {
                pictures.append(last)
            } else {
                pictures.append(picture)
            }
        }
        guard !pictures.isEmpty else { throw .tooShort(path) }
        return pictures
    }

    private static func isEqual(_ one: PixelBuffer, _ other: PixelBuffer) -> Bool {
        one.withUnsafeBytes { a in other.withUnsafeBytes { b in memcmp(a.baseAddress!, b.baseAddress!, a.count) == 0 } }
    }
}

/// Why a sequence cannot be read.
enum SequenceError: Error {
    case unreadable(String)
    case tooShort(String)
}
