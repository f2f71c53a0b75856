"""One desktop and its tests. Started by `run`, as root, in PID and mount name spaces of its own."""
import atexit
import contextlib
import fcntl
import glob
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USER = "broadcast-test"
LIMIT = 60


class Failure(Exception):
    """What a test expected and did not find."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


def wait(what, condition, limit=LIMIT):
    """Waits until `condition()` is true, and returns its value."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise Failure(f"{what} did not happen within {limit} s")


class Desktop:
    def __init__(self, kind, root, program, is_inside):
        self.kind, self.root, self.program, self.is_inside = kind, root, program, is_inside
        self.user = pwd.getpwnam(USER)
        self.folder = tempfile.mkdtemp(prefix="bd-", dir="/tmp")
        self.count = 0
        self.session = None
        self.pointer = None

    def mount(self):
        for name in ("proc", "sys", "dev"):
            subprocess.run(["mount", "--rbind", "/" + name, f"{self.root}/{name}"], check=True)
        os.makedirs(self.root + self.folder)
        subprocess.run(["mount", "--bind", self.folder, self.root + self.folder], check=True)

    def remove(self):
        self.end_all()
        place = self.root + self.folder
        subprocess.run(["umount", "--lazy", place], stderr=subprocess.DEVNULL)
        if os.path.isdir(place):
            os.rmdir(place)
        shutil.rmtree(self.folder, ignore_errors=True)

    @staticmethod
    def end_all():
        """Ends every process of the name space but this one, which is its first."""
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break

    def restart(self, outputs=1):
        """Starts a new session with so many monitors (GNOME Shell and KWin)."""
        self.end_all()
        self.pointer = None
        for name in os.listdir(self.folder):
            path = f"{self.folder}/{name}"
            if name in ("run", "nodes"):
                shutil.rmtree(path, ignore_errors=True)
            elif name != "user" and not os.path.isdir(path):
                os.remove(path)
        self.start(outputs)

    def start(self, outputs=1):
        """Starts the session in the root, and waits until its programs answer."""
        shutil.copy(self.root + "/opt/rig/render-node.so", self.folder)
        os.mkdir(self.folder + "/nodes")
        # The user may not make device nodes. Each one serves for one open of the stand-in for a GPU.
        if self.kind in ("kwin", "hyprland"):
            for number in range(400):
                for minor in (0, 128):
                    path = f"{self.folder}/nodes/{minor}-{number}"
                    os.mknod(path, 0o020666, os.makedev(226, minor))
                    os.chmod(path, 0o666)
        subprocess.run(["chown", "-R", f"{self.user.pw_uid}:{self.user.pw_gid}", self.folder], check=True)
        self.session = subprocess.Popen(
            self.in_root("/opt/rig/session.py", self.kind, self.folder, str(outputs)), env={"PATH": "/usr/bin:/bin"},
            stdin=subprocess.PIPE)
        wait(
            "the session", lambda: os.path.exists(self.folder + "/environment") or self.session.poll() is not None, 120)
        if self.session.poll() is not None:
            raise Failure("the session ended at its start")
        with open(self.folder + "/environment") as file:
            self.environment = dict(line.rstrip("\n").split("=", 1) for line in file)

    def in_root(self, *command):
        return ["/usr/sbin/chroot", f"--userspec={self.user.pw_uid}:{self.user.pw_gid}", self.root, *command]

    def environment_of_user(self):
        """What a program of the desktop's user finds. Outside of the root it has the host's PATH."""
        environment = dict(self.environment)
        home = self.folder + "/user"
        environment.update(
            HOME=home, XDG_CONFIG_HOME=home + "/config", XDG_STATE_HOME=home + "/state", XDG_DATA_HOME=home + "/data")
        if not self.is_inside:
            environment["PATH"] = os.environ["PATH"]
        return environment

    def command(self, *arguments):
        as_user = ["setpriv", f"--reuid={self.user.pw_uid}", f"--regid={self.user.pw_gid}", "--clear-groups"]
        return self.in_root(self.program, *arguments) if self.is_inside else as_user + [self.program, *arguments]

    def broadcast(self, *arguments, limit=LIMIT, status=None):
        """Runs broadcast to its end. Checks its exit status, if one is given."""
        result = subprocess.run(self.command(*arguments), env=self.environment_of_user(), stdin=subprocess.DEVNULL,
                                capture_output=True, text=True,
                                timeout=limit, cwd="/")
        if status is not None:
            expect(
                result.returncode == status,
                f"broadcast {' '.join(arguments)}: exit {result.returncode}: {result.stderr.strip()}")
        return result

    def begin(self, *arguments):
        """Starts broadcast. Its messages are in `process.log`."""
        self.count += 1
        path = f"{self.folder}/broadcast-{self.count}.log"
        process = subprocess.Popen(self.command("start", *arguments), env=self.environment_of_user(),
                                   stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=open(path, "w"), cwd="/")
        process.log = path
        return process

    def live(self, *arguments):
        """Starts broadcast and waits until it is live."""
        process = self.begin(*arguments)
        wait("the broadcast", lambda: process.poll() is not None or self.status().get("state") == "live")
        expect(process.poll() is None, f"broadcast ended at the start: {self.messages(process)}")
        return process

    def messages(self, process):
        with open(process.log) as file:
            return file.read().strip()

    def status(self):
        result = self.broadcast("status", "--json")
        sessions = json.loads(result.stdout)["sessions"] if result.returncode == 0 and result.stdout.strip() else []
        return sessions[0] if sessions else {}

    def elapsed(self, seconds):
        """Waits until the broadcast has run for so long."""
        wait(f"second {seconds}", lambda: self.status().get("elapsed", 0) >= seconds)

    def stop(self, process, status=0):
        self.broadcast("stop")
        process.wait(LIMIT)
        expect(process.returncode == status, f"exit {process.returncode}: {self.messages(process)}")

    def end(self, process, status):
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure("broadcast did not end")
        expect(process.returncode == status, f"exit {process.returncode}: {self.messages(process)}")

    def file(self, name):
        return f"{self.folder}/user/{name}"

    def tool(self, *command, limit=LIMIT):
        """Runs a program of the desktop, and returns its output."""
        result = subprocess.run(
            self.in_root(*command), env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=limit)
        expect(
            result.returncode == 0,
            f"{' '.join(command)}: exit {result.returncode}: {result.stderr.strip() or result.stdout.strip()}")
        return result.stdout

    def painted(self, rate=0, *arguments, environment=None):
        return Painter(self, rate, arguments, environment or {})

    def kill(self, name):
        """Kills a program of the desktop by the name of its program file."""
        pids = [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*/exe") if self.has_name(path, name)]
        expect(pids, f"no process runs {name}")
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def runs(self, name):
        """True if a program of the desktop runs, by the name of its program file."""
        return any(self.has_name(path, name) for path in glob.glob("/proc/[0-9]*/exe"))

    @staticmethod
    def has_name(path, name):
        try:
            return os.path.basename(os.readlink(path)) == name
        except OSError:
            return False


class Painter:
    """A window with the numbers of its frames (painter.py)."""

    def __init__(self, desktop, rate, arguments, environment):
        desktop.count += 1
        self.log = f"{desktop.folder}/painter-{desktop.count}.log"
        open(self.log, "w").close()
        os.chmod(self.log, 0o666)
        self.process = subprocess.Popen(
            desktop.in_root("/opt/rig/painter.py", str(rate), self.log, *arguments), stdin=subprocess.DEVNULL,
            env={**desktop.environment, "GSK_RENDERER": "cairo", "GDK_BACKEND": "wayland", **environment},
            stdout=subprocess.DEVNULL, stderr=open(self.log + ".errors", "w"))

    def __enter__(self):
        wait("the painter", lambda: os.path.getsize(self.log) > 0 or self.process.poll() is not None)
        expect(self.process.poll() is None, "the painter ended")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def numbers(self):
        with open(self.log) as file:
            return {int(line) for line in file.read().split("\n")[:-1]}


class Recording:
    """What a file shows of a painter that fills the picture."""

    def __init__(self, path):
        self.path = path
        self.frames = self.decode(f"crop=iw:ih/8:0:0,scale=32:1:flags=area,format=gray", 32)
        self.numbers = [number for number in map(self.number, self.frames) if number is not None]

    def decode(self, filter, size):
        data = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", self.path, "-map", "0:v", "-fps_mode", "passthrough", "-vf", filter, "-f",
             "rawvideo", "-"],
            stdout=subprocess.PIPE, check=True).stdout
        return [data[index:index + size] for index in range(0, len(data), size)]

    @staticmethod
    def number(frame):
        """The number in a frame; nil if it shows none."""
        bits = [byte > 127 for byte in frame]
        if (any(90 < byte < 165 for byte in frame) or bits[:2] != [True, False] or bits[31]
                or bits[30] != sum(bits[2:30]) % 2):
            return None
        code = sum(bit << index for index, bit in enumerate(bits[2:30]))
        number = 0
        while code:
            number ^= code
            code >>= 1
        return number

    def check(self, painter, rate, share=1.0):
        """Checks that every painted frame between the first and the last one is there, in order. Returns a summary."""
        expect(self.numbers, f"no frame of {len(self.frames)} shows a number")
        first, last = self.numbers[0], self.numbers[-1]
        painted = {number for number in painter.numbers() if first <= number <= last}
        shown = set(self.numbers)
        expect(self.numbers == sorted(self.numbers), "frames are out of order")
        unread = len(self.frames) - len(self.numbers)
        summary = (f"{len(shown & painted)} of {len(painted)} painted pictures in {len(self.frames)} frames, "
                   f"{unread} without a number")
        expect(len(shown & painted) >= share * len(painted) - 1, summary)
        # At the ends, a picture stands for a moment before or after it too.
        expect(len(self.numbers) - len(shown) <= 2, f"{len(self.numbers) - len(shown)} pictures twice: {summary}")
        return summary


@contextlib.contextmanager
def machine(root, alone):
    """Waits until this desktop may work beside the others, or alone. Who waits to be alone lets nobody in before."""
    with open(root + "/.turn", "w") as turn, open(root + "/.work", "w") as work:
        fcntl.flock(turn, fcntl.LOCK_EX)
        fcntl.flock(work, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(turn, fcntl.LOCK_UN)
        yield


def main():
    # It ends every process that it sees.
    if os.getpid() != 1:
        sys.exit("Tests/Desktops/desktop.py runs in a PID name space of its own: use Tests/Desktops/run.")
    kind, root, program, where, pattern, logs = sys.argv[1:]
    os.environ.setdefault("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
    desktop = Desktop(kind, root, program, where == "inside")
    atexit.register(desktop.remove)
    desktop.mount()
    os.umask(0o022)
    os.makedirs(desktop.folder + "/user")
    try:
        with machine(root, alone=False):
            desktop.start()
    except Failure as failure:
        for path in sorted(glob.glob(desktop.folder + "/*.log")):
            with open(path, errors="replace") as file:
                print(f"--- {path}\n{file.read()[-2000:]}")
        sys.exit(f"{kind}: {failure}")
    if pattern == "shell":
        print(f"{kind} is up: {desktop.folder}")
        return subprocess.run(["/bin/bash", "-c", sys.stdin.read()] if not sys.stdin.isatty() else ["/bin/bash"], env={
            **desktop.environment_of_user(), "PATH": os.environ["PATH"], "D": desktop.folder, "R": root, "B": program,
            "IN": " ".join(desktop.in_root())}).returncode
    import tests
    for name, test in tests.all(desktop):
        if not re.search(pattern, name):
            continue
        with machine(root, alone=test.measures):
            attempt(desktop, name, test, logs)
    return 0


def attempt(desktop, name, test, logs):
    begin, failed = time.monotonic(), False
    try:
        detail = test(desktop) or ""
        print(f"ok    {name}  {time.monotonic() - begin:.1f} s  {detail}", flush=True)
    except Exception as failure:
        failed = True
        text = str(failure) if isinstance(failure, Failure) else repr(failure)
        print(f"FAIL  {name}  {time.monotonic() - begin:.1f} s  {text}", flush=True)
        if logs:
            keep(desktop, f"{logs}/{time.strftime('%H%M%S')}-{desktop.kind}-{test.__name__}")
    if failed or test.breaks:
        desktop.restart()


def keep(desktop, folder):
    """Copies the logs of the session and what was recorded."""
    os.makedirs(folder + "/user")
    for path in glob.glob(desktop.folder + "/*.log*") + glob.glob(desktop.folder + "/user/*.*"):
        if os.path.isfile(path):
            shutil.copy(path, folder + path.removeprefix(desktop.folder))


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    # The tests import this module by its name.
    import desktop
    sys.exit(desktop.main())
