extension KnownService {
    /// The published ingest parameters of services, as TOML: one table per service.
    ///
    /// - `extension`: the extension that reaches it, for example `whip`. Without it, the service takes RTMP.
    /// - `url`: without the key; left out if each user has an own address. `backups`: addresses that are tried in order
    ///   if `url` cannot be reached.
    /// - `domains`: of its servers, to recognize an address that the user wrote. A token may follow a redirect to them.
    /// - `keyframe-interval`: maximum in seconds. `bitrate` and `audio-bitrate`: maximum in kbit/s.
    /// - `size` and `fps`: the largest picture, also turned, and the highest frame rate.
    /// - `test`: what is added to the key so that a stream is a test that viewers do not see.
    /// - `key`: where to find the key.
    /// - `source` and `checked`: where the values are published, and the date of the last comparison.
    ///
    /// A limit that a service does not publish is omitted. `source` says which values could not be confirmed.
    package static let data = """
        [mobcrush]
        title = "Mobcrush"
        url = "rtmp://live.mobcrush.net/stream"
        domains = ["mobcrush.net"]
        keyframe-interval = 2
        bitrate = 6000
        audio-bitrate = 160
        key = "studio.mobcrush.com, Broadcast, Other streaming software"
        source = "OBS Studio's pull request 1092 of 2017 added the service, newer lists omit it; the address is the one that other programs ship, none with TLS was found; the limits are cautious and could not be confirmed"
        checked = "2026-11-22"

        [twitch]
        title = "Twitch"
        url = "rtmps://ingest.global-contribute.live-video.net:443/app"
        domains = ["twitch.tv", "live-video.net"]
        keyframe-interval = 2
        bitrate = 6000
        size = "1920x1080"
        fps = 60
        audio-bitrate = 320
        test = "bandwidthtest=true"
        key = "dashboard.twitch.tv, Settings, Stream, Primary Stream key"
        source = "OBS Studio's services.json (bitrates); dev.twitch.tv/docs/video-broadcast (the test); ingest.twitch.tv/ingests, url_template_secure of the default ingest; help.twitch.tv, Broadcast Guidelines"
        checked = "2026-11-22"

        [youtube]
        title = "YouTube"
        url = "rtmps://a.rtmps.youtube.com:443/live2"
        backups = ["rtmps://b.rtmps.youtube.com:443/live2?backup=1"]
        domains = ["youtube.com"]
        keyframe-interval = 4
        bitrate = 51000
        size = "3840x2160"
        fps = 60
        key = "studio.youtube.com, Create, Go live, Stream, Stream key"
        source = "OBS Studio's services.json, YouTube - RTMPS; developers.google.com/youtube/v3/live/guides/rtmps-ingestion; support.google.com/youtube/answer/2853702"
        checked = "2026-11-22"

        [facebook]
        title = "Facebook Live"
        url = "rtmps://live-api-s.facebook.com:443/rtmp/"
        domains = ["facebook.com"]
        keyframe-interval = 2
        bitrate = 9000
        size = "1920x1080"
        fps = 60
        audio-bitrate = 256
        key = "facebook.com/live/producer, Streaming software, Stream key"
        source = "OBS Studio's services.json, Facebook Live; developers.facebook.com, Live Video API, Live Video Specifications"
        checked = "2026-11-22"

        [kick]
        title = "Kick"
        url = "rtmps://fa723fc1b171.global-contribute.live-video.net:443/app"
        domains = ["live-video.net"]
        keyframe-interval = 2
        bitrate = 8000
        size = "1920x1080"
        fps = 60
        key = "dashboard.kick.com, Channel, Stream URL & Key"
        source = "the Stream URL in dashboard.kick.com, as other programs ship it; the limits of help.kick.com, articles 7066931 and 14994318, as quoted by a guide of 2026-10-07: 1000 to 8000 kbit/s, 1080p60, 2 s, no limit for the bitrate of sound"
        checked = "2026-11-22"

        [restream]
        title = "Restream"
        url = "rtmps://live.restream.io:1937/live"
        backups = ["rtmps://live.restream.io:443/live"]
        domains = ["restream.io"]
        keyframe-interval = 2
        key = "app.restream.io, RTMP settings"
        source = "the RTMPS address in app.restream.io, as other encoders ship it"
        checked = "2026-11-22"

        [ivs]
        title = "Amazon IVS Real-Time"
        extension = "whip"
        url = "https://global.whip.live-video.net"
        domains = ["whip.live-video.net"]
        keyframe-interval = 2
        bitrate = 8500
        size = "1280x720"
        fps = 60
        audio-bitrate = 160
        key = "CreateParticipantToken of the API: a participant token of the stage, with the capability PUBLISH"
        source = "docs.aws.amazon.com/ivs/latest/RealTimeUserGuide: obs-whip-support, rt-stream-ingest"
        checked = "2026-11-28"

        [millicast]
        title = "Dolby Millicast"
        extension = "whip"
        key = "the dashboard, your publishing token: its WHIP endpoint (https://director.millicast.com/api/whip/STREAM) and token"
        source = "docs.dolby.io, Streaming APIs, WHIP: POST /api/whip/{streamName}; the Director of Millicast"
        checked = "2026-11-28"

        [livekit]
        title = "LiveKit"
        extension = "whip"
        key = "the API for ingress (lk ingress create): its address, and its stream key as the token"
        source = "docs.livekit.io, Ingress, WHIP"
        checked = "2026-11-28"

        [custom]
        title = "Any RTMP server"
        key = "the administrator of the server"
        source = "none"
        checked = "2026-11-22"
        """
}
