import CCompositorInput

/// Formats and buffers from the compositor of a Wayland desktop.
extension FuzzTargets {
    /// Reads formats, pictures, their metadata and cursors, as records (`CCompositorInput.h`). What is accepted is
    /// inside of its memory.
    public static func compositor(_ bytes: [UInt8]) {
        var result = cci_result()
        if let violated = cci_feed(bytes, bytes.count, &result) { preconditionFailure(String(cString: violated)) }
    }
}
