import FuzzTargets

/// The entry point for libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput") public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzTargets.socket(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
