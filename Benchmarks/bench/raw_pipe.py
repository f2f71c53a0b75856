"""Raw pictures through a pipe: an extension with video = "i420" compared with ffmpeg's rawvideo. Nothing is encoded."""

import os
import signal

import process_usage

MANIFEST = """name = "raw-reader"
exec = "./reader"
mode = "samples"
video = "i420"
audio = "none"
tracks = ["screen"]
"""
# The extension only reads. Its processor time is not measured, and neither is that of ffmpeg's reader.
READER = "#!/bin/sh\necho '{\"hello\":1}'\nexec cat > /dev/null\n"


class RawFFmpeg:
    """ffmpeg with x11grab, which writes I420 to a pipe."""

    name = "ffmpeg"

    def start(self, peers, setup):
        command = (
            ["ffmpeg", "-nostdin", "-v", "error", "-f", "x11grab", "-framerate", "30", "-draw_mouse", "1"]
            + ["-video_size", f"{setup['width']}x{setup['height']}", "-i", setup["display"]]
            + ["-pix_fmt", "yuv420p", "-fps_mode", "cfr", "-f", "rawvideo", "pipe:1"]
        )
        reading, writing = os.pipe()
        self.reader = peers.start("raw-reader", ["sh", "-c", "exec cat > /dev/null"], stdin=reading)
        process = peers.start(self.name, command, setup["environment"], stdout=writing)
        os.close(reading)
        os.close(writing)
        return process

    def reader_pid(self, _process):
        return self.reader.pid

    def stop(self, peers, process):
        peers.stop(process, signal.SIGINT)
        peers.stop(self.reader)


class RawBroadcast:
    """The program under test, with the reader as an extension."""

    name = "broadcast"

    def __init__(self, broadcast):
        self.broadcast = broadcast
        folder = os.path.join(broadcast.home["XDG_DATA_HOME"], "broadcast", "extensions", "raw-reader")
        os.makedirs(folder, 0o700, exist_ok=True)
        for name, text, mode in [("extension.toml", MANIFEST, 0o600), ("reader", READER, 0o700)]:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(os.path.join(folder, name), mode)

    def start(self, peers, setup):
        command = [self.broadcast.program, "start", "--to", "raw-reader", "--fps", "30", "--frame-pacing", "constant"]
        return peers.start(
            self.name, command + ["--no-app-audio", "--duration", "10m"],
            {**setup["environment"], **self.broadcast.home})

    def reader_pid(self, process):
        return process_usage.tree(process.pid)[1]

    def stop(self, peers, process):
        self.broadcast.stop(peers, process, {"environment": {}})
