import Capture
import Glibc
import Media
import Presentation
import Testing

/// The sentences about sources of pictures and sound.
struct CaptureErrorTests {
    typealias Status = Presentation.ExitStatus

    private static let region = PixelRect(x: -20, y: 10, width: 640, height: 360)
    private static let screen = PixelSize(width: 1280, height: 720)

    private static let errors: [(CaptureError, Status, String)] = [
        (
            .displayNotNamed(running: []), .noInput,
            "No display to capture: DISPLAY is not set. Name one with --display :0, or run this inside the desktop session."
        ),
        (
            .displayNotNamed(running: [":7"]), .noInput,
            "No display to capture: DISPLAY is not set. Name yours with --display :7, or run this inside the desktop session."
        ),
        (
            .displayNotNamed(running: [":7", ":8"]), .noInput,
            "No display to capture: DISPLAY is not set. Yours are :7, :8: name one with --display, or run this inside the desktop session."
        ),
        (
            .cannotOpenDisplay(":9"), .noInput,
            "Cannot open the display :9: no X server answers there, or it denies access. Check --display and XAUTHORITY."
        ),
        (
            .displayDoesNotAnswer(":9"), .unavailable,
            "The X server of display :9 does not answer. It is stopped or too busy: continue it, or try again."
        ),
        (
            .missingExtension("DAMAGE"), .unavailable,
            "The X server has no DAMAGE extension, which capture needs. Use a server that has it (Xorg, Xvfb and Xwayland do)."
        ),
        (
            .noSuchMonitor("LEFT", known: []), .noInput,
            "There is no monitor LEFT: the display reports none. Omit --monitor, or use --region."
        ),
        (.noSuchMonitor("LEFT", known: ["A"]), .noInput, "There is no monitor LEFT, but only A. Omit --monitor."),
        (.noSuchMonitor("LEFT", known: ["A", "B"]), .noInput, "There is no monitor LEFT. Use one of A, B."),
        (
            .regionOutside(region, screen: screen), .noInput,
            "The region 640x360-20+10 is outside the screen, which has 1280x720 pixels. Choose one inside."
        ),
        (
            .noSuchWindow("0x7", known: []), .noInput,
            "There is no window 0x7, and the display reports no windows. Check --display."
        ),
        (
            .noSuchWindow("0x7", known: ["0x1 (Notes)", "0x2"]), .noInput,
            "There is no window 0x7. Use one of 0x1 (Notes), 0x2, or choose with --window pick."
        ),
        (
            .severalWindows("class:XTerm", ["0x1", "0x2"]), .noInput,
            "2 windows match class:XTerm: 0x1, 0x2. Name one of them with --window ID, or by its title with --window 'title:*TEXT*'."
        ),
        (
            .windowIsHidden("0x7"), .noInput,
            "The window 0x7 is hidden by your rules, or by its application, so it is not broadcast. Remove the rule, or choose another window."
        ),
        (.noActiveWindow, .noInput, "No window is in front. Click the one to show, or choose with --window pick."),
        (
            .pickCancelled, .nothing,
            "No window was picked, so nothing is broadcast. Click a window, or name one with --window ID."
        ),
        (
            .pointerTaken, .noInput,
            "No window can be picked: another program holds the mouse pointer. Close its menu, or name a window with --window ID."
        ),
        (
            .unsupportedVisual(depth: 8), .noInput,
            "A colour depth of 8 bits cannot be captured. Set the display to 24 bits."
        ),
        (
            .grabRefused(code: 11), .software,
            "The X server rejected a request for the picture (X error 11). Try again, and report it if it persists."
        ),
        (
            .cannotRead(path: "a.y4m", code: EACCES), .noInput,
            "Cannot read a.y4m: Permission denied. Check the file or pipe."
        ),
        (
            .cannotRead(path: "-", code: EBADF), .noInput,
            "Cannot read standard input: Bad file descriptor. Check the file or pipe."
        ),
        (
            .displayServerGone(":9"), .unavailable,
            "The X server of display :9 ended. Recordings are complete up to that moment."
        ),
    ]

    @Test(arguments: errors) func `An error of a source has a status and says what to do`(
        error: CaptureError, status: Status, message: String
    ) {
        #expect(CommandError(error) == CommandError(status, message))
        #expect(SentenceRules.violation(of: message) == nil)
    }

    private static let problems: [(ContentProblem, String)] = [
        (.empty, "it is empty"),
        (.silent(for: .seconds(10)), "no data arrived for 10 s"),
        (.headerTooLong(limit: 4096), "a header line is longer than 4096 bytes"),
        (.notY4M, "it is not YUV4MPEG2; convert it with ffmpeg -pix_fmt yuv420p -f yuv4mpegpipe"),
        (.invalidFrameRate("0:0"), "the frame rate \"0:0\" is invalid"),
        (.interlaced, "its pictures are interlaced; convert it with ffmpeg -vf yadif"),
        (.unsupportedPixels("C422"), "its pixel format is C422; convert it with ffmpeg -pix_fmt yuv420p"),
        (.fullRange, "its colours have full range; convert it with ffmpeg -vf scale=out_range=tv"),
        (.unsupportedSize, "its size is missing, odd, or not between 16x16 and 16384x16384"),
        (.missingFrameHeader, "a frame does not begin with FRAME"),
        (.notWAV, "it is not a WAV file"),
        (.shortFormatChunk, "its format chunk is too short"),
        (
            .unsupportedEncoding,
            "its sound is neither PCM of 8 to 32 bits nor 32-bit floats; convert it with ffmpeg -c:a pcm_s16le"
        ),
        (
            .unsupportedChannels(count: 12, sampleRate: 48_000),
            "it has 12 channels at 48000 Hz, and 1 to 8 channels at 4000 to 384000 Hz are possible; convert it with ffmpeg -ac 2 -ar 48000"
        ),
        (.samplesBeforeFormat, "its samples precede their format"),
        (.chunkTooLong(70_000), "a chunk before the sound has 70000 bytes"),
        (.endsBeforeSamples, "it ends before its sound begins"),
    ]

    @Test(arguments: problems) func `Content that cannot be broadcast is named with its problem`(
        problem: ContentProblem, phrase: String
    ) {
        let error = CommandError(.malformedContent(path: "talk.wav", problem))
        #expect(error == CommandError(.noInput, "Cannot broadcast talk.wav: \(phrase)."))
        #expect(
            CommandError(.malformedContent(path: "-", problem)).message == "Cannot broadcast standard input: \(phrase)."
        )
        #expect(SentenceRules.violation(of: error.message) == nil)
    }

    @Test func `A question about a desktop without a bus is not answered as if the desktop were to be captured`() {
        #expect(
            CommandError.captureUnknown
                == CommandError(
                    .unavailable,
                    "No session bus answers, so it is not known whether this Wayland desktop is being broadcast. "
                        + "Run this inside the desktop session, where DBUS_SESSION_BUS_ADDRESS is set."))
    }

    @Test func `A region has the form of the option that chooses it`() {
        #expect(PixelRect(x: 7, y: -7, width: 640, height: 360).geometry == "640x360+7-7")
    }
}
