"""Runs the measurements, one after the other."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time

import clock_reader
import process_usage
from contenders import Broadcast, FFmpeg, GStreamer
from peers import Nginx, Peers, read, wait_until
from raw_pipe import RawBroadcast, RawFFmpeg

WORKLOADS = ["still", "typing", "everything"]
# The keyframe interval of all programs.
KEYFRAME_SECONDS = 2


class Campaign:
    """Runs the selected parts. A result is a flat dictionary: part, workload, program, round and the values."""

    def __init__(self, options):
        self.options = options
        self.results = []

    def run(self):
        with Peers() as peers:
            self.peers = peers
            self.sound = peers.pulse()
            self.nginx = Nginx(peers)
            peers.paint(self.options.testscreen, "tone", environment=self.sound)
            tested = FFmpeg("broadcast") if self.options.peer_only else Broadcast(
                self.options.broadcast, peers.path("home"))
            self.contenders = [tested, FFmpeg()]
            parts = [
                ("quality", self.measure_quality), ("switch", self.measure_switch), ("cpu", self.measure_cpu),
                ("memory720", self.measure_memory), ("latency", self.measure_latency)]
            parts += [
                ("wakeups", self.measure_wakeups), ("raw", self.measure_raw), ("pixels", self.measure_pixels),
                ("hidden", self.measure_hidden)]
            for name, measure in parts:
                if not self.options.only or name in self.options.only:
                    measure()
        return self.results

    def measure_cpu(self):
        display = self.peers.xvfb(1920, 1080)
        for round_number, workload, contender in self.turns(WORKLOADS):
            self.measure_run("cpu", workload, contender, round_number, self.setup(display, 1920, 1080, 6000))

    def measure_quality(self):
        """Compares cost and picture on screens of real text: every picture of a recording is compared with the painted
        one."""
        # They need numpy and Pillow, which the other parts do not.
        import quality
        from workloads import NAMES, Workload

        contenders = self.contenders + [
            FFmpeg("ffmpeg, tuned", ["-x264-params", "weightp=0:scenecut=0:threads=2"]), GStreamer()]
        width, height = 1920, 1080
        for name in self.options.workload or NAMES:
            # The programs need up to some seconds to start.
            workload = Workload(name, width, height, self.options.seconds + 12)
            path = self.peers.path(name)
            workload.write(path)
            for round_number in range(self.options.rounds):
                idle = self.run_quality(None, workload, path, 0, None)
                for bitrate in self.options.bitrate or [3000, 6000]:
                    for contender in contenders[:: 1 if round_number % 2 == 0 else -1]:
                        values = self.run_quality(contender, workload, path, bitrate, quality)
                        values["server_percent"] -= idle["server_percent"]
                        self.add("quality", f"{name} {bitrate}", contender, round_number, **values)
            os.remove(path)

    def run_quality(self, contender, workload, path, bitrate, quality):
        """Paints the workload once. Returns the figures of the program, or the X server's use without any program."""
        display, server = self.peers.xvfb(workload.width, workload.height, server=True)
        environment = {**self.sound, "DISPLAY": display}
        key = f"q{self.peers.count}"
        setup = self.setup(display, workload.width, workload.height, bitrate) | {
            "sound": False, "url": self.nginx.url(key, "recorded")}
        painter = self.peers.paint(self.options.testscreen, "replay", "--file", path, environment=environment)
        process = None
        if contender:
            process = contender.start(self.peers, setup)
            # The workload lasts 12 s longer than the measurement.
            wait_until("the first packet", lambda: self.peers.check(process) or self.nginx.bytes_received(key) > 0, 8)
        # Two seconds for the first IDR and the settling of the picture.
        time.sleep(2)
        watched = [server.pid] + ([process.pid] if process else [])
        received = self.nginx.bytes_received(key)
        begin, cpu = time.monotonic(), [process_usage.cpu_seconds(pid) for pid in watched]
        time.sleep(self.options.seconds)
        seconds = time.monotonic() - begin
        cpu = [process_usage.cpu_seconds(pid) - before for pid, before in zip(watched, cpu)]
        values = {"server_percent": 100 * cpu[0] / seconds}
        if process:
            self.peers.check(process)
            values |= {
                "cpu_percent": 100 * cpu[1] / seconds,
                "kbps": (self.nginx.bytes_received(key) - received) * 8 / 1000 / seconds}
            values |= process_usage.memory_megabytes(process.pid) | {
                "peak_mb": process_usage.peak_megabytes(process.pid)}
            # The first keyframe of a dense page is sent up to a second after the first packet: then it can be sharp.
            time.sleep(1)
            contender.stop(self.peers, process, setup)
            wait_until("the end of the recording", lambda: self.nginx.bytes_received(key) == 0)
        self.peers.stop(painter)
        self.peers.stop(server)
        if process:
            values |= quality.judge(self.nginx.recording(key), workload, 2, self.options.seconds)
            os.remove(self.nginx.recording(key))
        return values

    def measure_switch(self):
        """Measures how soon a new page is readable: the whole page changes at an interval."""
        # They need numpy and Pillow, which the other parts do not.
        import pages
        import switch

        width, height = 1920, 1080
        for kind, interval in itertools.product(
                self.options.pages or pages.KINDS, self.options.interval or switch.INTERVALS):
            workload = switch.Pages(kind, interval, width, height, self.options.seconds, self.options.pages_seed)
            path = self.peers.path(kind)
            workload.write(path)
            for round_number in range(self.options.rounds):
                for bitrate in self.options.bitrate or switch.BITRATES:
                    for contender in self.contenders[:: 1 if round_number % 2 == 0 else -1]:
                        values = self.again_if(
                            switch.Behind, self.run_switch, contender, workload, path, bitrate, round_number, switch)
                        self.add("switch", f"{kind} {interval} {bitrate}", contender, round_number, **values)
            os.remove(path)

    @staticmethod
    def again_if(failure, measure, *arguments):
        """Returns what a measurement returns. Repeats it up to two times if it fails because of a busy machine."""
        for _ in range(2):
            try:
                return measure(*arguments)
            except failure as error:
                print(f"again: {error}", file=sys.stderr, flush=True)
        return measure(*arguments)

    def run_switch(self, contender, workload, path, bitrate, round_number, switch):
        """Shows the pages once. Returns the figures of the program, with all of its processor time."""
        display, server = self.peers.xvfb(workload.width, workload.height, server=True)
        key = f"s{self.peers.count}"
        setup = self.setup(display, workload.width, workload.height, bitrate) | {
            "sound": False, "url": self.nginx.url(key, "recorded")}
        painter = self.peers.paint(
            self.options.testscreen, "replay", "--file", path, environment=setup["environment"])
        # Stopped at the first page until the program is live.
        painter.send_signal(signal.SIGSTOP)
        begin = time.monotonic()
        process = contender.start(self.peers, setup)
        wait_until("the first packet", lambda: self.peers.check(process) or self.nginx.bytes_received(key) > 0)
        live = time.monotonic()
        self.show_pages(painter, workload, round_number)
        self.peers.check(process)
        now = time.monotonic()
        values = {
            "cpu_percent": 100 * process_usage.cpu_seconds(process.pid) / (now - begin),
            "kbps": self.nginx.bytes_received(key) * 8 / 1000 / (now - live)}
        contender.stop(self.peers, process, setup)
        wait_until("the end of the recording", lambda: self.nginx.bytes_received(key) == 0)
        self.peers.stop(painter)
        self.peers.stop(server)
        values |= switch.judge(self.nginx.recording(key), workload, switch.painting_times(read(painter.output)))
        os.remove(self.nginx.recording(key))
        return values

    def show_pages(self, painter, workload, round_number):
        """Continues the stopped painter, and returns one second after the end of the last page.

        A program with a keyframe every two seconds has the same time between a keyframe and each page of two seconds.
        This time is chosen, because it changes the result: it is another one in each round, and never none, where the
        order of both would be random."""
        time.sleep(KEYFRAME_SECONDS * (round_number + 0.5) / self.options.rounds)
        painter.send_signal(signal.SIGCONT)
        time.sleep(len(workload.changes) * workload.interval)
        wait_until("the last page", lambda: f"frame {workload.changes[-1]} " in read(painter.output))
        time.sleep(workload.interval + 1)

    def measure_memory(self):
        display = self.peers.xvfb(1280, 720)
        for round_number, workload, contender in self.turns(["everything"]):
            self.measure_run("memory720", workload, contender, round_number, self.setup(display, 1280, 720, 3000))

    def measure_wakeups(self):
        """Counts how often the programs wake up while nothing changes, without sound."""
        display = self.peers.xvfb(1920, 1080)
        setup = self.setup(display, 1920, 1080, 6000) | {"sound": False}
        variable = Broadcast(
            self.options.broadcast, self.peers.path("home"), "broadcast", ["--frame-pacing", "variable"])
        for workload, contenders in [("constant", self.contenders), ("variable", [variable, self.contenders[1]])]:
            for round_number, _, contender in self.turns([workload], contenders):
                process, _ = self.go_live(contender, setup)
                # The picture settles, and the rest begins.
                time.sleep(6)
                begin, count = time.monotonic(), process_usage.wakeups(process.pid)
                time.sleep(self.options.seconds)
                self.peers.check(process)
                count = process_usage.wakeups(process.pid) - count
                seconds = time.monotonic() - begin
                self.end(contender, process, setup)
                self.add("wakeups", workload, contender, round_number, wakeups=count / seconds)

    def measure_hidden(self):
        """Compares broadcast with itself: a screen with a static window, with and without a rule that hides it."""
        if self.options.peer_only:
            return
        display = self.peers.xvfb(1920, 1080)
        setup = self.setup(display, 1920, 1080, 6000)
        contenders = [
            Broadcast(self.options.broadcast, self.peers.path("home"), name)
            if name == "no rule"
            else Broadcast(self.options.broadcast, self.peers.path("home"), name, ["--hide", "class:Secret"])
            for name in ("hidden", "no rule")
        ]
        for round_number, workload, contender in self.turns(["typing", "everything"], contenders):
            # The window is above the area that the workload paints.
            self.measure_run("hidden", workload, contender, round_number, setup, above="secret")

    def turns(self, workloads, contenders=None):
        """Yields the runs: round by round, workload by workload, with the programs in alternating order.

        Because of the alternation, a drift of the machine affects both programs."""
        for round_number in range(self.options.rounds):
            for workload in workloads:
                for contender in (contenders or self.contenders)[:: 1 if round_number % 2 == 0 else -1]:
                    yield round_number, workload, contender

    def setup(self, display, width, height, bitrate):
        return {
            "display": display,
            "width": width,
            "height": height,
            "bitrate": bitrate,
            "sound": True,
            "url": self.nginx.url("bench"),
            "environment": {**self.sound, "DISPLAY": display},
        }

    def go_live(self, contender, setup):
        """Starts a program. Returns it and the seconds until the server received its first packet."""
        begin = time.monotonic()
        process = contender.start(self.peers, setup)
        wait_until("the first packet", lambda: self.peers.check(process) or self.nginx.bytes_received("bench") > 0)
        return process, time.monotonic() - begin

    def end(self, contender, process, setup):
        """Stops a program. Returns the seconds until its connection was closed."""
        begin = time.monotonic()
        contender.stop(self.peers, process, setup)
        wait_until("the stream's end", lambda: self.nginx.bytes_received("bench") == 0)
        return time.monotonic() - begin

    def measure_run(self, part, workload, contender, round_number, setup, above=None):
        painters = [
            self.peers.paint(self.options.testscreen, scene, environment=setup["environment"])
            for scene in (workload, above) if scene
        ]
        process, start_seconds = self.go_live(contender, setup)
        # The first two seconds contain the first IDR and the settling of the picture. The limits apply to the time
        # after that.
        time.sleep(2)
        begin, cpu = time.monotonic(), process_usage.cpu_seconds(process.pid)
        received = self.nginx.bytes_received("bench")
        time.sleep(self.options.seconds)
        self.peers.check(process)
        cpu = process_usage.cpu_seconds(process.pid) - cpu
        received = self.nginx.bytes_received("bench") - received
        seconds = time.monotonic() - begin
        peak = process_usage.peak_megabytes(process.pid)
        stop_seconds = self.end(contender, process, setup)
        for painter in painters:
            self.peers.stop(painter)
        self.add(
            part,
            workload,
            contender,
            round_number,
            cpu_percent=100 * cpu / seconds,
            peak_mb=peak,
            kbps=received * 8 / 1000 / seconds,
            start_ms=start_seconds * 1000,
            stop_ms=stop_seconds * 1000,
        )

    def measure_latency(self):
        display = self.peers.xvfb(1920, 1080)
        setup = self.setup(display, 1920, 1080, 6000)
        # At 60 frames a second, the phase relative to the 30 grabs would be constant within a run and random between
        # runs, with a difference of up to 17 ms. 61 frames a second cover all phases; 7 have as many phases, and are
        # the sparse changes of a user who types.
        for workload, rate in [("silent clock", 61), ("clock", 61), ("sparse clock", 7)]:
            painter = self.peers.paint(
                self.options.testscreen, "clock", "--fps", str(rate), environment=setup["environment"])
            for round_number, _, contender in self.turns([workload]):
                setup["sound"] = workload == "clock"
                process, _ = self.go_live(contender, setup)
                # A player that connects before the first picture finds a stream without video.
                wait_until("pictures", lambda: self.peers.check(process) or self.nginx.bytes_received("bench") > 60_000)
                latencies, unreadable, seconds = self.play(setup["url"], first=workload == "sparse clock")
                self.end(contender, process, setup)
                latencies.sort()
                self.add(
                    "latency",
                    workload,
                    contender,
                    round_number,
                    median_ms=latencies[len(latencies) // 2],
                    p95_ms=latencies[len(latencies) * 95 // 100],
                    frames_per_second=(len(latencies) + unreadable) / seconds,
                    unreadable=unreadable,
                )
            self.peers.stop(painter)

    def play(self, url, first=False):
        """Plays the stream.

        Returns the age of each frame's clock in ms when the frame was read, the number of unreadable frames, and the
        seconds. With `first`, frames that show the clock of the frame before them are left out."""
        player = self.peers.start(
            "player",
            ["ffmpeg", "-nostdin", "-v", "error", "-fflags", "nobuffer", "-flags", "low_delay"]
            # ffmpeg's raw video encoder would delay one frame per thread.
            + ["-i", url, "-an", "-vf", clock_reader.FILTER, "-fps_mode", "passthrough", "-threads", "1"]
            + ["-f", "rawvideo", "-pix_fmt", "gray", "-flush_packets", "1", "-"],
            stdout=subprocess.PIPE,
            bufsize=0,
        )
        latencies, unreadable, begin, last = [], 0, None, None
        while begin is None or time.monotonic() < begin + 2 + self.options.seconds:
            frame = b""
            while len(frame) < clock_reader.FRAME_BYTES:
                piece = player.stdout.read(clock_reader.FRAME_BYTES - len(frame))
                if not piece:
                    raise RuntimeError(f"the player ended: {read(player.errors)[-2000:]}")
                frame += piece
            now = time.monotonic_ns() / 1e6
            painted = clock_reader.milliseconds(frame)
            # Skip two seconds from the first readable frame, because the player first processes the frames that
            # accumulated before.
            begin = begin or (painted is not None and time.monotonic()) or None
            is_repeat = first and painted == last
            last = last if painted is None else painted
            if begin is None or time.monotonic() < begin + 2:
                continue
            if painted is None:
                unreadable += 1
            elif not is_repeat:
                latencies.append((now - painted) % 2**32)
        self.peers.stop(player)
        if not latencies:
            raise RuntimeError("no frame of the player could be read")
        return latencies, unreadable, self.options.seconds

    def measure_raw(self):
        """Measures the processor time of the program that writes 1080p30 as raw I420 to a pipe."""
        if self.options.peer_only:
            return
        display = self.peers.xvfb(1920, 1080)
        setup = self.setup(display, 1920, 1080, 6000)
        contenders = [RawBroadcast(self.contenders[0]), RawFFmpeg()]
        for round_number in range(self.options.rounds):
            for workload in ["still", "everything"]:
                painter = self.peers.paint(self.options.testscreen, workload, environment=setup["environment"])
                for contender in contenders[:: 1 if round_number % 2 == 0 else -1]:
                    process = contender.start(self.peers, setup)
                    time.sleep(2)
                    self.peers.check(process)
                    begin, cpu = time.monotonic(), process_usage.own_cpu_seconds(process.pid)
                    reader = contender.reader_pid(process)
                    received = process_usage.bytes_read(reader)
                    time.sleep(self.options.seconds)
                    self.peers.check(process)
                    cpu = process_usage.own_cpu_seconds(process.pid) - cpu
                    received = process_usage.bytes_read(reader) - received
                    seconds = time.monotonic() - begin
                    contender.stop(self.peers, process)
                    self.add(
                        "raw", workload, contender, round_number, cpu_percent=100 * cpu / seconds,
                        megabytes_per_second=received / 1e6 / seconds
                    )
                self.peers.stop(painter)

    def measure_pixels(self):
        """Runs a program that prints one JSON object of numbers."""
        program = self.options.pixel_conversion
        if not os.access(program, os.X_OK):
            return
        text = subprocess.run([os.path.abspath(program)], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.results.append({"part": "pixels", "program": "broadcast", **json.loads(text)})

    def add(self, part, workload, contender, round_number, **values):
        self.results.append({
            "part": part, "workload": workload, "program": contender.name, "round": round_number, **values})
        numbers = "  ".join(
            f"{name} {value:.{4 if name.startswith('ssim') else 1}f}" for name, value in values.items()
            if not isinstance(value, list))
        print(f"{part} {workload}, round {round_number + 1}, {contender.name}: {numbers}", file=sys.stderr, flush=True)
