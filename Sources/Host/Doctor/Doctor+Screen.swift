import Capture
import Media
import PortalCapture
import PulseCapture
import X11Capture

extension Doctor {
    /// Examines the source of pictures. Returns its size; nil if it is not known.
    func examineScreen() -> PixelSize? {
        if surroundings.display == nil, let session = surroundings.waylandSession {
            return examinePortal(display: session.display)
        }
        do throws(CaptureError) {
            let abilities = try DisplayAbilities(display: surroundings.display)
            report(.display, abilities.missingExtensions.isEmpty ? .ok : .warning, .screen(abilities))
            report(
                .sharedMemory, abilities.hasSharedMemory ? .ok : .warning,
                abilities.hasSharedMemory ? .sharesMemory : .copiesPictures)
            report(
                .windows, abilities.hasComposite ? .ok : .warning,
                .coveredWindows(isPossible: abilities.hasComposite, isComposited: abilities.isComposited))
            return abilities.size
        } catch {
            report(.display, .wrong, .capture(error))
            return nil
        }
    }

    private func examinePortal(display: String) -> PixelSize? {
        let backends = PortalBackends(
            dataFolders: surroundings.paths.dataSearchPath,
            configurationFolders: surroundings.paths.configurationSearchPath, desktops: surroundings.desktops)
        // Without a backend, the portal says so.
        if !backends.names.isEmpty {
            report(.portalBackend, backends.isCertain ? .ok : .warning, .backends(backends))
        }
        do throws(PortalProblem) {
            let abilities = try PortalAbilities(busAddress: surroundings.busAddress)
            report(.portal, abilities.sharesMonitors ? .ok : .warning, .portal(abilities))
        } catch {
            report(.portal, .wrong, .capture(.portal(error)))
            return nil
        }
        examinePipeWire()
        let denials = surroundings.busAddress.map { PortalDenial.all(busAddress: $0) } ?? []
        report(.permissions, denials.isEmpty ? .ok : .warning, .denials(denials))
        let choice = surroundings.paths.rememberedChoices.choice(for: display)
        report(.sharedMonitor, .ok, .remembered(choice))
        guard let width = choice?.width, let height = choice?.height else { return nil }
        return PixelSize(width: width, height: height)
    }

    private func examinePipeWire() {
        guard let socket = surroundings.pipeWireSocket else { return }
        guard PipeWireServer.isRunning(socket: socket) else {
            return report(.pipeWire, .wrong, .capture(.portal(.noPipeWireServer)))
        }
        let manager = PipeWireServer.sessionManager()
        report(.pipeWire, manager == nil ? .warning : .ok, .pipeWire(sessionManager: manager))
    }

    func examineSound() {
        if let name = PulseRecorder.missingLibrary { return report(.sound, .wrong, .noSoundLibrary(name)) }
        guard let sounds = PulseSourceList.inventory() else {
            report(.sound, .wrong, .noSoundServer)
            return
        }
        let outputs = sounds.sources.filter(\.isMonitor)
        let output = (outputs.first(where: \.isDefault) ?? outputs.first)?.description
        report(.sound, output == nil ? .warning : .ok, .sound(output: output, delay: sounds.outputDelay))
        let microphones = sounds.sources.filter { !$0.isMonitor }
        report(
            .microphone, .ok, .microphone((microphones.first(where: \.isDefault) ?? microphones.first)?.description))
    }
}
