import Media

/// Why a source returns no samples. A front end makes the sentence.
package enum CaptureError: Error, Sendable, Equatable {
    /// No X server answers at this display.
    case cannotOpenDisplay(String)
    /// Neither the caller nor `DISPLAY` names a display. `running`: those whose X server this user runs.
    case displayNotNamed(running: [String])
    /// The X server accepts the connection and does not answer in time: it is stopped, or too busy.
    case displayDoesNotAnswer(String)
    /// The X server does not support an extension that capture requires.
    case missingExtension(String)
    /// No monitor has this name. `known` is empty if the server reports no monitors.
    case noSuchMonitor(String, known: [String])
    /// The region is completely outside the screen.
    case regionOutside(PixelRect, screen: PixelSize)
    /// No window has this identifier, or the window has no pixels.
    case noSuchWindow(String, known: [String])
    /// More than one window matches; each with its identifier.
    case severalWindows(String, [String])
    /// The selected window is hidden by a rule.
    case windowIsHidden(String)
    /// No window is active.
    case noActiveWindow
    /// The user selected no window.
    case pickCancelled
    /// Another program has grabbed the pointer, so the user cannot select a window.
    case pointerTaken
    /// The pixels of the root window's visual cannot be converted.
    case unsupportedVisual(depth: Int)
    /// The X server refused a grab with a protocol error code (X11, 4).
    case grabRefused(code: Int)
    /// The file or pipe with the pictures or sound cannot be read (`-`: standard input); errno.
    case cannotRead(path: String, code: Int32)
    /// The content of the file or pipe is invalid.
    case malformedContent(path: String, ContentProblem)
    /// The connection to the X server was lost.
    case displayServerGone(String)
    /// The screen cast portal of a Wayland desktop does not deliver.
    case portal(PortalProblem)
}

/// Why the desktop's screen cast portal delivers no pictures.
package enum PortalProblem: Error, Sendable, Equatable, Codable {
    /// No session bus answers.
    case noSessionBus
    /// xdg-desktop-portal is not installed, or it ended.
    case noPortal
    /// The portal cannot be started; the words of the bus or of systemd.
    case portalFails(String)
    /// The portal cannot be started because systemd's graphical-session.target is not active; the words of the bus.
    case noGraphicalSession(String)
    /// The portal has no backend for screen casts of this desktop.
    case noBackend
    /// The backend shares no windows (or no monitors).
    case cannotShare(PortalChoice)
    /// The portal does not answer.
    case noAnswer
    /// libpipewire is not installed.
    case noPipeWire
    /// PipeWire does not run.
    case noPipeWireServer
    /// PipeWire rejects the stream; its words.
    case pipeWireFailed(String)
    /// PipeWire's session manager does not connect the stream.
    case noSessionManager
    /// The user closed the dialog, or the start was cancelled.
    case cancelled
    /// The portal refused; its words, or an empty text.
    case refused(String)
    /// The desktop shares something else than was asked for.
    case otherChoice
    /// Nothing is remembered that could be shared without a dialog, and no user is there to answer it.
    case notRemembered(PortalChoice)
    /// There are rules for hidden windows, which a monitor of a Wayland desktop would show.
    case cannotHide
    /// The stream ended without the user: the compositor or the portal's backend ended.
    case lost
    /// The compositor took the memory of its pictures away while they were read, several times in a row.
    case picturesTakenAway
    /// PipeWire ended.
    case pipeWireGone
}

/// What the user chooses in the dialog of a Wayland desktop.
package enum PortalChoice: String, Sendable, Equatable, Codable {
    case monitor
    case window
}

/// What is wrong with pictures or sound from a file or a pipe.
package enum ContentProblem: Sendable, Equatable {
    case empty
    /// No data arrived for this time.
    case silent(for: Duration)
    /// A header line is longer than this many bytes.
    case headerTooLong(limit: Int)
    /// The content does not start with YUV4MPEG2.
    case notY4M
    case invalidFrameRate(String)
    case interlaced
    /// The `C` parameter: not 8-bit 4:2:0.
    case unsupportedPixels(String)
    case fullRange
    /// The size is missing, odd, or not between `PixelSize.smallest` and `PixelSize.largest`.
    case unsupportedSize
    /// A frame does not start with FRAME.
    case missingFrameHeader
    /// The content is not a RIFF file of the form WAVE.
    case notWAV
    case shortFormatChunk
    /// Neither PCM of 8 to 32 bits nor 32-bit floats.
    case unsupportedEncoding
    case unsupportedChannels(count: Int, sampleRate: Int)
    case samplesBeforeFormat
    /// A chunk before the samples has this many bytes.
    case chunkTooLong(Int)
    case endsBeforeSamples
}
