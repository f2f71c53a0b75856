"""The servers of a benchmark: X server, sound server, RTMP server, TestScreen.

All of them end with the benchmark, even after a crash."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request


def wait_until(what, condition, deadline=30.0):
    """Evaluates the condition every 2 ms until its result is true, and returns the result."""
    end = time.monotonic() + deadline
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > end:
            raise TimeoutError(f"waited {deadline:.0f} s in vain for {what}")
        time.sleep(0.002)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Peers:
    """Processes and a temporary folder, as a context manager."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="broadcast-bench-")
        self.processes = []
        self.count = 0
        self.environment = {"PATH": os.environ.get("PATH", "") + ":/usr/sbin", "LANG": "C.UTF-8", "HOME": self.folder}
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        self.count += 1
        return os.path.join(self.folder, f"{self.count}-{name}")

    def start(self, name, command, environment=None, **options):
        """Starts a process.

        Its output goes to the files `process.output` and `process.errors`, unless the options specify a pipe."""
        output, errors = self.path(name + ".out"), self.path(name + ".err")
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", "--"] + command,
                stdin=options.pop("stdin", subprocess.DEVNULL),
                stdout=options.pop("stdout", out),
                stderr=err,
                env={**self.environment, **(environment or {})},
                **options,
            )
        process.name, process.output, process.errors = name, output, errors
        self.processes.append(process)
        return process

    def stop(self, process, signal_number=signal.SIGTERM, grace=10):
        """Sends a signal and waits. Kills the process after the grace time. Returns the seconds until it exited."""
        begin = time.monotonic()
        if process.poll() is None:
            process.send_signal(signal_number)
            try:
                process.wait(grace)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout:
            process.stdout.close()
        if process in self.processes:
            self.processes.remove(process)
        return time.monotonic() - begin

    def check(self, process):
        """Raises an error with the process's standard error if the process exited."""
        if process.poll() is not None:
            raise RuntimeError(f"{process.name} ended with {process.returncode}: {read(process.errors)[-2000:]}")

    def xvfb(self, width, height, server=False):
        """Starts an X server. Returns the name of its display, and with `server` its process too."""
        screen = f"{width}x{height}x24"
        process = self.start(
            "xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp", "-noreset"])
        name = ":" + wait_until(
            "Xvfb", lambda: self.check(process) or (read(process.output).endswith("\n")
                                                    and read(process.output).strip()))
        return (name, process) if server else name

    def pulse(self):
        """Starts a sound server with the null sink `app`. Returns the environment for its clients."""
        folder = self.path("pulse")
        os.mkdir(folder, 0o700)
        environment = {
            "PULSE_SERVER": f"unix:{folder}/native",
            "PULSE_COOKIE": f"{folder}/cookie",
            "PULSE_RUNTIME_PATH": f"{folder}/runtime",
            "PULSE_STATE_PATH": f"{folder}/state",
        }
        server = self.start(
            "pulseaudio",
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--realtime=no",
             "--high-priority=no"]
            + ["-L", f"module-native-protocol-unix auth-anonymous=1 socket={folder}/native"]
            + ["-L", "module-null-sink sink_name=app rate=48000"],
            {**environment, "XDG_RUNTIME_DIR": folder, "HOME": folder},
        )
        info = ["pactl", "info"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        wait_until(
            "Pulse", lambda: self.check(server) or subprocess.call(info, env={**self.environment, **environment},
                                                                   **quiet) == 0)
        return environment

    def paint(self, program, *arguments, environment):
        """Starts TestScreen and waits for its first frame."""
        painter = self.start("testscreen", [os.path.abspath(program), *arguments], environment)
        wait_until("the first painted frame", lambda: self.check(painter) or "ready" in read(painter.output))
        return painter


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Nginx:
    """nginx with its RTMP module, on free ports of 127.0.0.1."""

    def __init__(self, peers):
        folder = peers.path("nginx")
        os.mkdir(folder, 0o700)
        self.port, self.http_port = free_port(), free_port()
        self.recordings = os.path.join(folder, "recordings")
        os.mkdir(self.recordings)
        temporary = "".join(
            f"{kind}_temp_path {folder}/{kind};" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
            file.write(
                "load_module /usr/lib/nginx/modules/ngx_rtmp_module.so; daemon off; master_process off;"
                f"pid {folder}/nginx.pid; error_log {folder}/error.log info; events {{ worker_connections 64; }}\n"
                f"rtmp {{ access_log off; server {{ listen 127.0.0.1:{self.port}; application live {{ live on; }}"
                f"application recorded {{ live on; record all; "
                f"record_path {self.recordings}; record_suffix .flv; }} }} }}\n"
                f"http {{ access_log off; {temporary} server {{ listen 127.0.0.1:{self.http_port}; "
                f"location / {{ rtmp_stat all; }} location /control {{ rtmp_control all; }} }} }}\n"
            )
        self.process = peers.start(
            "nginx", ["nginx", "-p", folder, "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"])
        wait_until("nginx", lambda: peers.check(self.process) or self.answers())

    def answers(self):
        try:
            return bool(self.statistics())
        except OSError:
            return False

    def statistics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http_port}/", timeout=5) as answer:
            return answer.read().decode()

    def kick(self, key):
        """Closes the connection of a stream's publisher. Returns false if there is none."""
        with urllib.request.urlopen(
                f"http://127.0.0.1:{self.http_port}/control/drop/publisher?app=live&name={key}", timeout=5) as answer:
            return answer.read().strip() not in (b"", b"0")

    def url(self, key, application="live"):
        return f"rtmp://127.0.0.1:{self.port}/{application}/{key}"

    def recording(self, key):
        """Returns the path of what was sent to the application `recorded`."""
        return os.path.join(self.recordings, f"{key}.flv")

    def bytes_received(self, key):
        """Returns the bytes of audio and video that the stream's publisher sent.

        0 before the first packet, and after the publisher disconnected."""
        for stream in self.statistics().split("<stream>")[1:]:
            if f"<name>{key}</name>" in stream and "<publishing/>" in stream:
                match = re.search(r"<bytes_in>(\d+)</bytes_in>", stream)
                return int(match.group(1)) if match else 0
        return 0
