import Desktop
import Session

extension DesktopLink.Request {
    /// What a broadcast of the screen asks of the desktop; nil where there is no session bus, or it shows no screen.
    init?(_ context: CommandContext, _ configuration: SessionConfiguration) {
        guard case .screen = configuration.picture, let address = context.sessionBusAddress else { return nil }
        do throws(CommandError) {
            try context.paths.prepareStateFolder()
        } catch {
            // The link says that it has no place for its record.
        }
        self.init(address: address, recordPath: context.paths.stateFolder + "/do-not-disturb") { arguments in
            let result = ChildProcess.run(arguments.first ?? "", arguments, deadline: (0.8, 0.8))
            return result?.status == 0 ? String(decoding: result?.output ?? [], as: UTF8.self) : nil
        }
        keepsAwake = context.configuration.privacy.keepAwake ?? true
        holdsNotifications = context.configuration.privacy.doNotDisturb ?? true
    }
}
