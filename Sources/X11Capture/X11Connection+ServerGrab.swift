import CX11
import Capture

extension X11Connection {
    /// Runs `body` while the server processes only this connection, so that all replies describe the same state (X11,
    /// 9, GrabServer).
    ///
    /// The whole desktop waits during this time, which is a few round trips to the server.
    func withServerGrabbed<Result>(_ body: () throws(CaptureError) -> Result) throws(CaptureError) -> Result {
        XGrabServer(display)
        defer {
            if !X11Faults.isBroken(display) {
                XUngrabServer(display)
                XFlush(display)
            }
        }
        return try body()
    }
}
