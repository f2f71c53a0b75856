import Credentials
import Glibc
import Media
import PortalCapture
import RTMP
import Session
import Upload
import UserConfiguration

/// Examines what a broadcast needs, without starting one: nothing is shown, nothing is sent to a server but handshakes,
/// and no dialog appears, except the one of a locked keyring for a destination.
package struct Doctor: Sendable {
    /// What the front end has read of the environment.
    package struct Surroundings: Sendable {
        package var paths: Paths
        /// The X display that the user names; nil for the one in `DISPLAY`.
        package var display: String?
        package var waylandSession: WaylandSession?
        /// The socket of PipeWire; nil if it is not known.
        package var pipeWireSocket: String?
        /// The names of the desktop (`XDG_CURRENT_DESKTOP`), the most special one first.
        package var desktops: [String]
        /// The address of the session bus; nil without one.
        package var busAddress: String?
        package var secretService: SecretService
        package var secrets: any SecretSource
        /// The password for the proxy; nil if none is known.
        package var proxyPassword: String?
        /// The working folder, where a recording with a plain name is written.
        package var folder: String
        /// The file of the program that runs, whose time is that of its build.
        package var program = "/proc/self/exe"

        package init(
            paths: Paths, display: String?, waylandSession: WaylandSession?, pipeWireSocket: String?,
            desktops: [String], busAddress: String?,
            secretService: SecretService, secrets: any SecretSource, proxyPassword: String?, folder: String
        ) {
            self.paths = paths
            self.display = display
            self.waylandSession = waylandSession
            self.pipeWireSocket = pipeWireSocket
            self.desktops = desktops
            self.busAddress = busAddress
            self.secretService = secretService
            self.secrets = secrets
            self.proxyPassword = proxyPassword
            self.folder = folder
        }
    }

    let surroundings: Surroundings
    /// Receives each finding as soon as it is known.
    let report: @Sendable (Finding) -> Void

    package init(_ surroundings: Surroundings, report: @escaping @Sendable (Finding) -> Void) {
        self.surroundings = surroundings
        self.report = report
    }

    /// Examines this machine and, if `targets` names some, these destinations. It takes some seconds.
    package func examine(_ targets: [String], testsLine: Bool = false) async {
        let size = examineScreen()
        examineSound()
        examineDesktop()
        examineFiles()
        let configuration = examineConfiguration()
        examineSpace(for: configuration)
        examineEncoder(screen: size)
        guard let configuration else { return }
        for target in targets { await examine(target, configuration, testsLine: testsLine, screen: size) }
    }

    func report(_ subject: Finding.Subject, _ level: Finding.Level, _ fact: Fact) {
        report(Finding(subject, level, fact))
    }
}
