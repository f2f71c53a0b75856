import ArgumentParser
import Terminal

/// `broadcast completion`
struct CompletionCommand: ParsableCommand {
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash
        case zsh
        case fish
    }

    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the script that completes command lines in a shell.",
        discussion: """
            The packages and make install put these scripts where the shells find them. For a program that was copied by \
            hand, bash: add source <(broadcast completion bash) to ~/.bashrc. zsh: write the script to _broadcast in a \
            folder of fpath. fish: write it to ~/.config/fish/completions/broadcast.fish.
            """)

    @Argument(help: ArgumentHelp("bash, zsh or fish.", valueName: "shell"))
    var shell: Shell

    func run() throws {
        let script =
            switch shell {
            case .bash: PackageResources.broadcast_bash
            case .zsh: PackageResources._broadcast
            case .fish: PackageResources.broadcast_fish
            }
        try Output.answer(String(decoding: script, as: UTF8.self), newline: false)
    }
}
