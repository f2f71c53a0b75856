import Capture
import Glibc
import Media

extension CommandError {
    package init(_ error: CaptureError) {
        self.init(error.exitStatus, error.sentence)
    }

    /// The answer of `captured` on a Wayland desktop whose session bus does not answer.
    package static var captureUnknown: CommandError {
        CommandError(
            .unavailable,
            "No session bus answers, so it is not known whether this Wayland desktop is being broadcast. "
                + "Run this inside the desktop session, where DBUS_SESSION_BUS_ADDRESS is set.")
    }
}

extension CaptureError {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .cannotOpenDisplay, .displayNotNamed, .unsupportedVisual, .noSuchMonitor, .regionOutside, .noSuchWindow,
            .severalWindows,
            .windowIsHidden, .noActiveWindow,
            .pointerTaken,
            .cannotRead, .malformedContent:
            .noInput
        case .pickCancelled: .nothing
        case .displayDoesNotAnswer, .missingExtension, .displayServerGone: .unavailable
        case .grabRefused: .software
        case .portal(let problem): problem.exitStatus
        }
    }

    package var sentence: String {
        switch self {
        case .displayNotNamed(let running):
            "No display to capture: DISPLAY is not set. "
                + (running.count > 1
                    ? "Yours are \(running.joined(separator: ", ")): name one with --display, "
                    : "Name \(running.isEmpty ? "one" : "yours") with --display \(running.first ?? ":0"), ")
                + "or run this inside the desktop session."
        case .cannotOpenDisplay(let name):
            "Cannot open the display \(name): no X server answers there, or it denies access. Check --display and XAUTHORITY."
        case .displayDoesNotAnswer(let name):
            "The X server of display \(name) does not answer. It is stopped or too busy: continue it, or try again."
        case .missingExtension(let name):
            "The X server has no \(name) extension, which capture needs. Use a server that has it (Xorg, Xvfb and Xwayland do)."
        case .noSuchMonitor(let name, []):
            "There is no monitor \(name): the display reports none. Omit --monitor, or use --region."
        case .noSuchMonitor(let name, let known) where known.count == 1:
            "There is no monitor \(name), but only \(known[0]). Omit --monitor."
        case .noSuchMonitor(let name, let known):
            "There is no monitor \(name). Use one of \(known.joined(separator: ", "))."
        case .regionOutside(let region, let screen):
            "The region \(region.geometry) is outside the screen, which has \(screen) pixels. Choose one inside."
        case .noSuchWindow(let name, []):
            "There is no window \(name), and the display reports no windows. Check --display."
        case .noSuchWindow(let name, let known):
            "There is no window \(name). Use one of \(known.joined(separator: ", ")), or choose with --window pick."
        case .severalWindows(let rule, let found):
            "\(found.count) windows match \(rule): \(found.joined(separator: ", ")). Name one of them with --window ID, or by its title with --window 'title:*TEXT*'."
        case .windowIsHidden(let name):
            "The window \(name) is hidden by your rules, or by its application, so it is not broadcast. Remove the rule, or choose another window."
        case .noActiveWindow: "No window is in front. Click the one to show, or choose with --window pick."
        case .pickCancelled:
            "No window was picked, so nothing is broadcast. Click a window, or name one with --window ID."
        case .pointerTaken:
            "No window can be picked: another program holds the mouse pointer. Close its menu, or name a window with --window ID."
        case .unsupportedVisual(let depth):
            "A colour depth of \(depth) bits cannot be captured. Set the display to 24 bits."
        case .grabRefused(let code):
            "The X server rejected a request for the picture (X error \(code)). Try again, and report it if it persists."
        case .cannotRead(let path, let code):
            "Cannot read \(Self.source(path)): \(String(cString: strerror(code))). Check the file or pipe."
        case .malformedContent(let path, let problem): "Cannot broadcast \(Self.source(path)): \(problem.phrase)."
        case .portal(let problem): problem.sentence
        case .displayServerGone(let name):
            "The X server of display \(name) ended. Recordings are complete up to that moment."
        }
    }

    private static func source(_ path: String) -> String { path == "-" ? "standard input" : path }
}

extension ContentProblem {
    fileprivate var phrase: String {
        switch self {
        case .empty: "it is empty"
        case .silent(let limit): "no data arrived for \(limit.wholeSeconds) s"
        case .headerTooLong(let limit): "a header line is longer than \(limit) bytes"
        case .notY4M: "it is not YUV4MPEG2; convert it with ffmpeg -pix_fmt yuv420p -f yuv4mpegpipe"
        case .invalidFrameRate(let text): "the frame rate \"\(text)\" is invalid"
        case .interlaced: "its pictures are interlaced; convert it with ffmpeg -vf yadif"
        case .unsupportedPixels(let text): "its pixel format is \(text); convert it with ffmpeg -pix_fmt yuv420p"
        case .fullRange: "its colours have full range; convert it with ffmpeg -vf scale=out_range=tv"
        case .unsupportedSize: "its size is missing, odd, or not between \(PixelSize.smallest) and \(PixelSize.largest)"
        case .missingFrameHeader: "a frame does not begin with FRAME"
        case .notWAV: "it is not a WAV file"
        case .shortFormatChunk: "its format chunk is too short"
        case .unsupportedEncoding:
            "its sound is neither PCM of 8 to 32 bits nor 32-bit floats; convert it with ffmpeg -c:a pcm_s16le"
        case .unsupportedChannels(let count, let sampleRate):
            "it has \(count) channels at \(sampleRate) Hz, and 1 to 8 channels at 4000 to 384000 Hz are possible; "
                + "convert it with ffmpeg -ac 2 -ar 48000"
        case .samplesBeforeFormat: "its samples precede their format"
        case .chunkTooLong(let length): "a chunk before the sound has \(length) bytes"
        case .endsBeforeSamples: "it ends before its sound begins"
        }
    }
}
