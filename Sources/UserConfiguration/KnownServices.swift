extension KnownService {
    /// The published ingest parameters of services, as TOML: one table per service.
    ///
    /// `url`: without the key. `keyframe-interval`: maximum in seconds. `bitrate` and `audio-bitrate`: maximum in
    /// kbit/s. `key`: where to find the key. A limit that a service does not publish is omitted.
    package static let data = """
        [mobcrush]
        title = "Mobcrush"
        url = "rtmp://live.mobcrush.net/stream"
        keyframe-interval = 2
        bitrate = 6000
        audio-bitrate = 160
        key = "studio.mobcrush.com, Broadcast, Other streaming software"

        [twitch]
        title = "Twitch"
        url = "rtmp://live.twitch.tv/app"
        keyframe-interval = 2
        bitrate = 6000
        audio-bitrate = 320
        key = "dashboard.twitch.tv, Settings, Stream, Primary Stream key"

        [youtube]
        title = "YouTube"
        url = "rtmp://a.rtmp.youtube.com/live2"
        keyframe-interval = 4
        bitrate = 51000
        key = "studio.youtube.com, Create, Go live, Stream, Stream key"

        [facebook]
        title = "Facebook Live"
        url = "rtmps://live-api-s.facebook.com:443/rtmp/"
        keyframe-interval = 2
        bitrate = 9000
        audio-bitrate = 256
        key = "facebook.com/live/producer, Streaming software, Stream key"

        [kick]
        title = "Kick"
        url = "rtmps://fa723fc1b171.global-contribute.live-video.net/app"
        keyframe-interval = 2
        bitrate = 8000
        audio-bitrate = 320
        key = "dashboard.kick.com, Channel, Stream URL & Key"

        [restream]
        title = "Restream"
        url = "rtmp://live.restream.io/live"
        keyframe-interval = 2
        key = "app.restream.io, RTMP settings"

        [custom]
        title = "Any RTMP server"
        key = "the server's own pages or its administrator"
        """
}
