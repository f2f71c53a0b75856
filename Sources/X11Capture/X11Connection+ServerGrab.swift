import CX11
import Capture

extension X11Connection {
    /// Runs `body` while the server serves this connection only: what it asks belongs to one moment (X11, 9, GrabServer).
    ///
    /// The whole desktop waits for it. Its time is that of some exchanges with the server.
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
