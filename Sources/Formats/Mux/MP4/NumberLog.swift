/// Takes bytes out of memory that are needed only at the end, and gives them back. Used on one thread at a time.
package protocol SpillStore: AnyObject, Sendable {
    /// Stores `bytes`. Returns their position, or nil if they cannot be stored.
    func append(_ bytes: [UInt8]) -> Int?

    /// Returns stored bytes, or nil if they cannot be read.
    func read(at position: Int, count: Int) -> [UInt8]?
}

/// Numbers that are appended one at a time and read in their order. Small numbers need few bytes (LEB128). If there is
/// a store, only the last 64 KiB are in memory.
struct NumberLog: Sendable {
    /// A part of the log that ends with a whole number.
    private enum Block: Sendable {
        case kept([UInt8])
        case stored(at: Int, count: Int)
    }

    private static let blockByteCount = 65_536

    /// How many numbers there are.
    private(set) var count = 0
    private var blocks: [Block] = []
    private var tail: [UInt8] = []
    private let store: (any SpillStore)?

    init(store: (any SpillStore)? = nil) {
        self.store = store
    }

    mutating func append(_ number: UInt64) {
        count += 1
        var rest = number
        while rest >= 0x80 {
            tail.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        tail.append(UInt8(rest))
        guard tail.count >= Self.blockByteCount else { return }
        blocks.append(store?.append(tail).map { .stored(at: $0, count: tail.count) } ?? .kept(tail))
        tail = []
    }

    /// Reads what is stored back into memory. Returns false if that is not possible.
    mutating func recall() -> Bool {
        for index in blocks.indices {
            guard case .stored(let position, let count) = blocks[index] else { continue }
            guard let bytes = store?.read(at: position, count: count), bytes.count == count else { return false }
            blocks[index] = .kept(bytes)
        }
        return true
    }
}

/// The numbers. Call `recall` first: those that are not in memory are omitted.
extension NumberLog: Sequence {
    struct Iterator: IteratorProtocol {
        private var rest: ArraySlice<[UInt8]>
        private var position = 0

        fileprivate init(_ parts: [[UInt8]]) {
            rest = parts[...]
        }

        mutating func next() -> UInt64? {
            while let part = rest.first {
                guard position < part.count else {
                    rest = rest.dropFirst()
                    position = 0
                    continue
                }
                var (number, shift) = (UInt64(0), UInt64(0))
                while part[position] >= 0x80 {
                    number |= UInt64(part[position] & 0x7F) << shift
                    shift += 7
                    position += 1
                }
                number |= UInt64(part[position]) << shift
                position += 1
                return number
            }
            return nil
        }
    }

    func makeIterator() -> Iterator {
        Iterator(blocks.compactMap { if case .kept(let bytes) = $0 { bytes } else { nil } } + [tail])
    }
}

/// Values that are often the same several times in succession, as runs.
struct RunLog: Sendable {
    struct Run: Sendable, Equatable {
        var count: UInt32
        var value: Int32
    }

    /// For each run but the last one, its length and its value; a negative value is an odd number.
    private var closed: NumberLog
    private var last: Run?

    init(store: (any SpillStore)? = nil) {
        closed = NumberLog(store: store)
    }

    /// How many runs there are.
    var count: Int { closed.count / 2 + (last == nil ? 0 : 1) }
    /// False if all values are 0.
    private(set) var hasOtherThanZero = false
    private(set) var hasNegative = false

    mutating func append(_ value: Int32) {
        if value != 0 { hasOtherThanZero = true }
        if value < 0 { hasNegative = true }
        if let last, last.value == value, last.count < .max {
            self.last?.count += 1
            return
        }
        if let last {
            closed.append(UInt64(last.count))
            closed.append(UInt64(UInt32(bitPattern: last.value << 1 ^ last.value >> 31)))
        }
        last = Run(count: 1, value: value)
    }

    mutating func recall() -> Bool { closed.recall() }
}

/// The runs. Call `recall` first.
extension RunLog: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate var closed: NumberLog.Iterator
        fileprivate var last: Run?

        mutating func next() -> Run? {
            guard let count = closed.next(), let value = closed.next() else {
                defer { last = nil }
                return last
            }
            let bits = UInt32(truncatingIfNeeded: value)
            return Run(count: UInt32(truncatingIfNeeded: count), value: Int32(bitPattern: bits >> 1) ^ -Int32(bits & 1))
        }
    }

    func makeIterator() -> Iterator { Iterator(closed: closed.makeIterator(), last: last) }
}
