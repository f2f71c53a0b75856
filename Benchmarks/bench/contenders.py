"""The programs to compare, with the same picture, sound, size, frame rate, bitrate, preset and tune."""

import os
import signal
import subprocess
import time


class FFmpeg:
    """ffmpeg with x11grab and PulseAudio, with the settings of broadcast."""

    def __init__(self, name="ffmpeg", options=()):
        self.name = name
        self.options = list(options)

    def command(self, setup):
        rate = f"{setup['bitrate']}k"
        return (
            ["ffmpeg", "-nostdin", "-v", "error"]
            + (["-thread_queue_size", "512", "-f", "pulse", "-i", "app.monitor"] if setup["sound"] else [])
            + ["-thread_queue_size", "64", "-f", "x11grab", "-framerate", "30", "-draw_mouse", "1"]
            + ["-video_size", f"{setup['width']}x{setup['height']}", "-i", setup["display"]]
            + ["-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-pix_fmt", "yuv420p"]
            # The same colours as broadcast's: BT.709, limited range.
            + ["-vf", "scale=out_color_matrix=bt709:out_range=limited", "-colorspace", "bt709", "-color_range", "tv"]
            + ["-b:v", rate, "-maxrate", rate, "-bufsize", rate, "-g", "60", "-bf", "0"]
            + self.options
            + (["-c:a", "aac", "-b:a", "160k", "-ar", "48000"] if setup["sound"] else [])
            + ["-f", "flv", setup["url"]]
        )

    def start(self, peers, setup):
        return peers.start(self.name, self.command(setup), setup["environment"])

    def stop(self, peers, process, _setup):
        """Stops the program. Returns the seconds until it exited."""
        return peers.stop(process, signal.SIGINT)


class GStreamer:
    """gst-launch-1.0 with ximagesrc, which copies only what changed (`use-damage`), and the settings of broadcast.

    Without sound only."""

    name = "gstreamer"

    def command(self, setup):
        return (
            ["gst-launch-1.0", "-q", "-e", "ximagesrc", f"display-name={setup['display']}", "use-damage=true",
             "show-pointer=true"]
            + ["!", "video/x-raw,framerate=30/1", "!", "videoconvert", "!", "video/x-raw,format=I420,colorimetry=bt709"]
            + ["!", "x264enc", "tune=zerolatency", "speed-preset=veryfast", f"bitrate={setup['bitrate']}",
               "vbv-buf-capacity=1000"]
            + ["key-int-max=60", "bframes=0", "!", "h264parse", "!", "flvmux", "streamable=true", "!", "rtmp2sink",
               f"location={setup['url']}"]
        )

    def start(self, peers, setup):
        return peers.start(self.name, self.command(setup), setup["environment"])

    def stop(self, peers, process, _setup):
        """Stops the program. Returns the seconds until it exited."""
        return peers.stop(process, signal.SIGINT)


class Broadcast:
    """The program under test, with its own home directory. `options` are additional command-line options."""

    def __init__(self, program, folder, name="broadcast", options=()):
        self.program = os.path.abspath(program)
        self.name = name
        self.options = list(options)
        self.home = {"HOME": folder}
        for variable, part in [
                ("CONFIG_HOME", "config"), ("DATA_HOME", "data"), ("STATE_HOME", "state"), ("RUNTIME_DIR", "run")]:
            self.home[f"XDG_{variable}"] = os.path.join(folder, part)
            os.makedirs(self.home[f"XDG_{variable}"], 0o700, exist_ok=True)

    def command(self, setup):
        return (
            [self.program, "start", "--to", setup["url"], "--fps", "30", "--bitrate", str(setup["bitrate"]), "--preset",
             "veryfast"]
            + ["--latency", "low", "--frame-pacing", "constant", "--duration", "10m"]
            + ([] if setup["sound"] else ["--no-app-audio"])
            + self.options
        )

    def start(self, peers, setup):
        return peers.start(self.name, self.command(setup), {**setup["environment"], **self.home})

    def stop(self, peers, process, setup):
        """Runs `broadcast stop`. Returns the seconds until both it and the session exited."""
        begin = time.monotonic()
        stopper = peers.start("broadcast-stop", [self.program, "stop"], {**setup["environment"], **self.home})
        for ending in [stopper, process]:
            try:
                ending.wait(10)
            except subprocess.TimeoutExpired:
                pass
        seconds = time.monotonic() - begin
        peers.stop(stopper)
        peers.stop(process)
        return seconds
