import Capture
import Presentation
import Testing

struct PortalProblemTests {
    static let problems: [(problem: PortalProblem, status: Presentation.ExitStatus, words: String)] = [
        (.noSessionBus, .unavailable, "DBUS_SESSION_BUS_ADDRESS"), (.noPortal, .unavailable, "xdg-desktop-portal"),
        (.portalFails("exited with status 1"), .unavailable, "(exited with status 1)"),
        (.noGraphicalSession("dependency failed"), .unavailable, "systemctl --user start desktop-session.target"),
        (.noBackend, .unavailable, "xdg-desktop-portal-gnome"), (.cannotShare(.window), .noInput, "--window"),
        (.cannotShare(.monitor), .noInput, "--window pick"), (.noAnswer, .unavailable, "Log in again"),
        (.noPipeWire, .unavailable, "libpipewire-0.3-0"), (.noPipeWireServer, .unavailable, "wireplumber"),
        (.picturesTakenAway, .unavailable, "memory"),
        (.pipeWireFailed("it broke"), .unavailable, "it broke"),
        (.noSessionManager, .unavailable, "wireplumber"), (.cancelled, .nothing, "nothing was started"),
        (.refused(""), .unavailable, "refused"), (.refused("Not now"), .unavailable, "Not now"),
        (.otherChoice, .noInput, "nothing is broadcast"),
        (.notRemembered(.monitor), .notPermitted, "Start once by hand"),
        (.notRemembered(.window), .notPermitted, "share a monitor"),
        (.cannotHide, .noInput, "only in part"), (.lost, .unavailable, "is complete"),
        (.pipeWireGone, .unavailable, "is complete"),
    ]

    @Test(arguments: problems) func `Each problem has a status and a sentence that says what to do`(
        problem: (problem: PortalProblem, status: Presentation.ExitStatus, words: String)
    ) {
        let error = CommandError(.portal(problem.problem))
        #expect(error.status == problem.status)
        #expect(
            // It is a sentence, or ends with a command to run.
            error.message.contains(problem.words)
                && (error.message.hasSuffix(".") || error.message.contains(/run: [^,()]+$/)),
            "\(error.message)")
    }
}
