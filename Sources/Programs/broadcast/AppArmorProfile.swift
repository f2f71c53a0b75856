import Glibc

/// A profile of AppArmor that an administrator may have installed (packaging/apparmor). The kernel attaches profiles to
/// programs, not to links, so an extension enters its own.
package struct AppArmorProfile {
    package struct Failure: Error {
        package let sentence: String
    }

    package let name: String
    /// The file by which an administrator asks for the profiles, and files of the kernel. Tests have others.
    package var installedFile = "/etc/apparmor.d/broadcast-extensions"
    package var modulesFolder = "/sys/module"
    package var attributeFile = "/proc/self/attr/apparmor/current"

    package init(name: String) { self.name = name }

    /// Confines the process for good. Does nothing if the profiles are not installed, or if AppArmor is off. Only the
    /// calling thread is confined, and those that it starts later (apparmor(7), aa_change_profile(2)): call it on the
    /// main thread before there is another one.
    ///
    /// - Throws: if the profiles are installed, or may be, and this one cannot be entered.
    package func enter() throws(Failure) {
        guard mayBeInstalled, mayBeEnabled else { return }
        let wish = Array("changeprofile \(name)".utf8)
        let descriptor = open(attributeFile, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { close(descriptor) }
        // The kernel takes it in one piece.
        guard write(descriptor, wish, wish.count) == wish.count else { throw failure(errno) }
    }

    /// False if the file is not there. A folder that cannot be searched may contain it.
    private var mayBeInstalled: Bool { access(installedFile, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR) }

    /// False if the kernel says so. A sandbox may hide what the kernel says.
    private var mayBeEnabled: Bool {
        let descriptor = open(modulesFolder + "/apparmor/parameters/enabled", O_RDONLY | O_CLOEXEC)
        // Without the module, AppArmor is no part of the kernel.
        guard descriptor >= 0 else { return errno != ENOENT || access(modulesFolder, F_OK) != 0 }
        defer { close(descriptor) }
        var answer: UInt8 = 0
        return read(descriptor, &answer, 1) != 1 || answer == UInt8(ascii: "Y")
    }

    private func failure(_ code: Int32) -> Failure {
        let advice =
            switch code {
            case ENOENT: "As root, run apparmor_parser --replace \(installedFile), or remove that file."
            case EACCES, EPERM:
                "A profile that confines broadcast itself needs the rule: change_profile -> broadcast-*,"
            default: "A sandbox around it must show /proc and /sys, or hide \(installedFile)."
            }
        return Failure(
            sentence: "The AppArmor profile \(name) is installed and cannot be entered "
                + "(\(String(cString: strerror(code)))). \(advice)")
    }
}
