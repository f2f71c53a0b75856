import Pipeline
import PulseCapture
import Session
import UserConfiguration

/// Checks the names of sound sources before a broadcast starts, so that a mistyped name does not cause a silent
/// broadcast.
package enum SoundSourceCheck {
    /// Returns the error for a source that PulseAudio does not have; nil if all exist. An application that does not
    /// play yet is not an error.
    package static func error(_ audio: MediaConfiguration.Audio, _ inventory: PulseInventory) -> CommandError? {
        names(audio).lazy.compactMap { error($0, inventory) }.first
    }

    /// True if a name has to be checked.
    package static func isNeeded(_ audio: MediaConfiguration.Audio) -> Bool { !names(audio).isEmpty }

    private static func names(_ audio: MediaConfiguration.Audio) -> [String] {
        var names = [audio.mic == nil ? nil : audio.micSource]
        if audio.app != nil, case .system = audio.content { names.append(audio.appSource) }
        // PulseAudio also takes the number of a source, and names such as @DEFAULT_SOURCE@.
        return names.compactMap(\.self).filter { !$0.hasPrefix("app:") && !$0.hasPrefix("@") && UInt32($0) == nil }
    }

    private static func error(_ name: String, _ inventory: PulseInventory) -> CommandError? {
        let known = inventory.sources.map(\.name)
        guard !known.contains(name) else { return nil }
        let applications = inventory.applications.map { "app:" + $0.name }
        // Users sometimes give the name of a sink or of an application.
        let near =
            (known + applications).first {
                [name + ".monitor", "app:" + name].map { $0.lowercased() }.contains($0.lowercased())
            }
            ?? NearestName.of(name, among: known + applications)
        return CommandError(
            .noInput,
            "There is no sound source \"\(name)\".\(near.map { " Did you mean \($0)?" } ?? "") See broadcast list-sources."
        )
    }
}
