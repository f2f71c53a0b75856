import Glibc

/// A profile of AppArmor that an administrator may have installed (packaging/apparmor). The kernel attaches profiles to
/// programs, not to links, so an extension enters its own.
package struct AppArmorProfile {
    package struct Failure: Error {
        package let sentence: String
    }

    package let name: String
    /// What decides whether the profiles are wanted, and where they are entered. Tests have others.
    package var installedFile = "/etc/apparmor.d/broadcast-extensions"
    package var stateFile = "/sys/module/apparmor/parameters/enabled"
    package var attributeFile = "/proc/self/attr/apparmor/current"

    package init(name: String) { self.name = name }

    /// Confines the process for good. Does nothing without AppArmor, or if the profiles are not installed. Only the
    /// calling thread is confined, and those that it starts later (apparmor(7), aa_change_profile(2)): call it on the
    /// main thread before there is another one.
    ///
    /// - Throws: if the profiles are installed and this one cannot be entered.
    package func enter() throws(Failure) {
        guard access(installedFile, F_OK) == 0, isEnabled else { return }
        let wish = Array("changeprofile \(name)".utf8)
        let descriptor = open(attributeFile, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure }
        defer { close(descriptor) }
        // The kernel takes it in one piece.
        guard write(descriptor, wish, wish.count) == wish.count else { throw failure }
    }

    private var isEnabled: Bool {
        let descriptor = open(stateFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var answer: UInt8 = 0
        return read(descriptor, &answer, 1) == 1 && answer == UInt8(ascii: "Y")
    }

    private var failure: Failure {
        Failure(
            sentence:
                "The AppArmor profile \(name) is installed and cannot be entered (\(String(cString: strerror(errno)))). "
                + "As root, run apparmor_parser --replace \(installedFile), or remove that file.")
    }
}
