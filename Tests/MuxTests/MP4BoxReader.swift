/// Reads the box structure of an MP4 file, independently of the muxers.
enum MP4BoxReader {
    struct Box {
        let type: String
        /// The contents, without the header.
        let contents: Range<Int>
    }

    /// The boxes in `range` of `file`, in sequence.
    static func boxes(_ file: [UInt8], in range: Range<Int>? = nil) -> [Box] {
        let range = range ?? 0..<file.count
        var position = range.lowerBound
        var boxes: [Box] = []
        while position + 8 <= range.upperBound {
            var size = integer(file, at: position, bytes: 4)
            var header = 8
            if size == 1, position + 16 <= range.upperBound {
                size = integer(file, at: position + 8, bytes: 8)
                header = 16
            }
            guard size >= header, position + size <= range.upperBound else { break }
            let type = String(decoding: file[position + 4..<position + 8], as: UTF8.self)
            boxes.append(Box(type: type, contents: position + header..<position + size))
            position += size
        }
        return boxes
    }

    /// The types of the top-level boxes.
    static func types(_ file: [UInt8]) -> [String] { boxes(file).map(\.type) }

    /// The first box at the end of a path of types.
    static func find(_ file: [UInt8], _ path: String...) -> Box? {
        var range = 0..<file.count
        var found: Box?
        for type in path {
            guard let box = boxes(file, in: range).first(where: { $0.type == type }) else { return nil }
            found = box
            range = box.contents
        }
        return found
    }

    /// A big-endian integer.
    static func integer(_ file: [UInt8], at position: Int, bytes: Int) -> Int {
        (0..<bytes).reduce(0) { $0 << 8 | Int(file[position + $1]) }
    }
}
