import Host

/// What users read about `broadcast purge`.
package enum PurgeSentences {
    package static let nothing = "There is nothing to remove: no settings, secrets or logs."
    package static let done = "Removed. Recordings and clips are where you put them."

    package static let noKeyring =
        "Warning: No keyring answers here, so secrets in it stay. Run the command in the desktop session to remove them too."

    /// One thing that is removed.
    package static func line(_ item: UserData.Item) -> String {
        switch item {
        case .service(let name): "\(name.printable): its start with the login"
        case .secrets(let destination): "\(destination.printable): its stored secrets"
        case .folder(let path, let content): "\(path.printable): \(text(content))"
        }
    }

    private static func text(_ content: UserData.Content) -> String {
        switch content {
        case .settings: "the configuration, and what else is in its folder"
        case .data: "your extensions, and answers to setup"
        case .state: "logs, and the monitors that Wayland desktops share without a dialog"
        case .runtime: "sockets of sessions that have ended"
        }
    }
}

extension CommandError {
    package init(_ problem: UserData.Problem) {
        switch problem {
        case .service(let problem): self.init(problem)
        case .secrets(let problem): self.init(problem)
        case .foreign(let path):
            self.init(
                .notPermitted,
                "\(path) belongs to another user, or others can write to it, so nothing was removed. "
                    + "Run the command as its owner.")
        case .folder(let path, let error):
            self.init(.ioError, "Cannot remove \(path): \(error.reason). Remove it by hand.")
        }
    }
}
