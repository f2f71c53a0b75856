import Bus
import Credentials
import Glibc
import UserConfiguration

extension Doctor {
    func examineDesktop() {
        guard let address = surroundings.busAddress, let bus = BusConnection(address: address) else {
            report(.notifications, .warning, .noSessionBus)
            return
        }
        let state = surroundings.secretService.state()
        report(.keyring, state == .ready || state == .asks ? .ok : .warning, .keyring(state))
        let isRunning = bus.canReach("org.freedesktop.Notifications")
        report(.notifications, isRunning ? .ok : .warning, .notifications(isRunning: isRunning))
    }

    func examineFiles() {
        do throws(ConfigurationError) {
            try surroundings.paths.prepareRuntimeFolder()
            try surroundings.paths.prepareStateFolder()
            for folder in [surroundings.paths.runtimeFolder, surroundings.paths.stateFolder]
            where access(folder, W_OK | X_OK) != 0 {
                throw .folder(path: folder, .cannotCreate(code: errno))
            }
            report(.folders, .ok, .folders(runtime: surroundings.paths.runtimeFolder))
        } catch {
            report(.folders, .wrong, .invalidConfiguration(error))
        }
        let bundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"]
        let authorities = bundles.first { access($0, R_OK) == 0 }
        report(.certificates, authorities == nil ? .warning : .ok, .certificates(path: authorities))
        examineClock()
    }

    /// A clock before the time of the build makes every certificate invalid.
    private func examineClock() {
        var status = stat()
        guard stat(surroundings.program, &status) == 0 else { return }
        let behind = status.st_mtim.tv_sec - time(nil)
        report(
            .clock, behind > 3600 ? .wrong : .ok, behind > 3600 ? .clockBehind(.seconds(behind)) : .clockPlausible)
    }
}

extension BusConnection {
    /// True if a service has the name, or the bus can start one.
    fileprivate func canReach(_ name: String) -> Bool {
        if hasOwner(name) { return true }
        let names = call(.bus, "org.freedesktop.DBus", "ListActivatableNames")?.arguments.first?.elements
        return names?.contains { $0.string == name } == true
    }
}
