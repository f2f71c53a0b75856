import RTMP
import WindowPrivacy

/// The tables of settings: those at the top of the configuration, or those of a profile.
package struct ConfiguredSettings: Sendable {
    package var video = SettingValues<SettingCatalog.Video>()
    package var audio = SettingValues<SettingCatalog.Audio>()
    package var privacy = SettingValues<SettingCatalog.Privacy>()
    package var network = SettingValues<SettingCatalog.Network>()
    /// Set if both bitrate and quality are configured. It is an error only if no option overrides them.
    package var rateConflict: ConfigurationFault?

    /// The keys of the tables.
    static let names = SettingCatalog.tables.map(\.name)

    /// No setting has a value.
    init() {}

    /// Reads the tables in `root`.
    init(in root: ConfigurationSection) throws(ConfigurationFault) {
        if let section = try root.section(SettingCatalog.Video.name) {
            video = try SettingValues(section)
            if video.bitrate != nil && video.quality != nil {
                rateConflict = section.fault(SettingCatalog.video.quality.key, .bitrateAndQuality)
            }
        }
        if let section = try root.section(SettingCatalog.Audio.name) { audio = try SettingValues(section) }
        if let section = try root.section(SettingCatalog.Privacy.name) { privacy = try SettingValues(section) }
        if let section = try root.section(SettingCatalog.Network.name) { network = try SettingValues(section) }
    }

    /// These values, and those of `others` for settings that have none here. Rules for hidden windows are added to
    /// those of `others`, so that no profile shows a window that is private otherwise.
    func over(_ others: ConfiguredSettings) -> ConfiguredSettings {
        var others = others
        if video.bitrate != nil || video.quality != nil {
            // Each excludes the other.
            others.video.bitrate = nil
            others.video.quality = nil
            others.rateConflict = nil
        }
        var merged = self
        merged.video = video.over(others.video)
        merged.audio = audio.over(others.audio)
        merged.privacy = privacy.over(others.privacy)
        merged.privacy.hide = others.privacy.hide + privacy.hide
        merged.network = network.over(others.network)
        merged.rateConflict = rateConflict ?? others.rateConflict
        return merged
    }

    /// How connections to RTMP servers leave this machine.
    package var route: RTMPRoute {
        var route = RTMPRoute()
        route.proxy = network.proxy?.proxy
        route.source = network.bind
        route.version = network.ipVersion ?? route.version
        return route
    }
}
