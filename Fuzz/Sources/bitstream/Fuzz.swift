import FuzzTargets

/// libFuzzer's entry.
@_cdecl("LLVMFuzzerTestOneInput") public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTargets.bitstream(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
