"""What is tried on each desktop. A test is a function whose first line of documentation is its name in the table; it
returns a remark for the table's reader, or raises Failure."""
import os
import re
import subprocess
import threading
import time

from desktop import Failure, Recording, expect, wait
from dialogs import answer, prepare

TESTS = []


def test(*kinds, breaks=False):
    """Marks a test, for all desktops or only for those that are named. After one that breaks something of the session, a new
    session is started."""
    def mark(function):
        function.breaks = breaks
        TESTS.append((function.__doc__.split("\n")[0].rstrip("."), function, kinds))
        return function
    return mark


def all(desktop):
    return [(name, function) for name, function, kinds in TESTS if not kinds or desktop.kind in kinds]


def ask(desktop, *arguments, choice="monitor"):
    """Starts a broadcast with the dialog, answers it, and waits until the broadcast is live."""
    prepare(desktop, choice)
    process = desktop.begin("--ask", *arguments)
    answer(desktop, process, choice)
    wait("the broadcast", lambda: process.poll() is not None or desktop.status().get("state") == "live")
    expect(process.poll() is None, f"broadcast ended at the start: {desktop.messages(process)}")
    return process


def share(desktop):
    """Makes sure that a choice is remembered, where the desktop remembers choices."""
    if not desktop.broadcast("list-sources").stdout.count("remembered"):
        process = ask(desktop, "--to", desktop.file("first.mp4"))
        desktop.stop(process)


@test()
def first_start(desktop):
    """First start, with the desktop's dialog"""
    with desktop.painted(colour := 0):
        process = ask(desktop, "--to", desktop.file("a.mp4"))
        desktop.elapsed(2)
        desktop.stop(process)
        recording = Recording(desktop.file("a.mp4"))
        expect(colours(recording)[-1] == "2040c0", f"the picture has the colours {colours(recording)}")


def colours(recording):
    """The colour of each frame, without repetitions, rounded so that codec noise does not count."""
    found = []
    for frame in recording.decode("scale=in_color_matrix=bt709,format=rgb24,scale=1:1:flags=area", 3):
        name = next((name for name in ("2040c0", "20c040", "c02040", "000000") if nearly(frame, bytes.fromhex(name))), frame.hex())
        if not found or found[-1] != name:
            found.append(name)
    return found


def nearly(one, other):
    return max(abs(a - b) for a, b in zip(one, other)) <= 6


@test()
def second_start(desktop):
    """Second start, without a dialog"""
    share(desktop)
    result = desktop.broadcast("start", "--no-dialog", "--duration", "2s", "--to", desktop.file("a.mp4"))
    expect(result.returncode == 0, result.stderr.strip())


@test()
def starts(desktop):
    """20 starts in a row on a still screen"""
    share(desktop)
    with desktop.painted(0):
        for number in range(20):
            result = desktop.broadcast("start", "--duration", "1s", "--to", desktop.file("a.mp4"))
            expect(result.returncode == 0, f"start {number + 1}: exit {result.returncode}: {result.stderr.strip()}")
            found = colours(Recording(desktop.file("a.mp4")))
            expect(found[-1] == "2040c0", f"start {number + 1} shows {found}: {result.stderr.strip()}")


@test()
def clock_30(desktop):
    """Painted clock of 30/s: no picture lost"""
    return clock(desktop, 30, 60)


@test()
def clock_60(desktop):
    """Painted clock of 60/s"""
    return clock(desktop, 60, 60, share_of_pictures=0.5)


def clock(desktop, rate, fps, share_of_pictures=1.0):
    share(desktop)
    with desktop.painted(rate) as painter:
        desktop.broadcast("start", "--fps", str(fps), "--duration", "8s", "--to", desktop.file("a.mp4"), status=0)
        return Recording(desktop.file("a.mp4")).check(painter, rate, share_of_pictures)


@test()
def pause_moving(desktop):
    """Pause and resume while the screen moves"""
    share(desktop)
    with desktop.painted(30):
        process = desktop.live("--to", desktop.file("a.mp4"))
        for number in range(3):
            desktop.elapsed(2 * number + 2)
            desktop.broadcast("pause", status=0)
            time.sleep(0.5)
            desktop.broadcast("resume", status=0)
        desktop.elapsed(8)
        desktop.stop(process)
    numbers = Recording(desktop.file("a.mp4")).numbers
    expect(numbers == sorted(numbers), "frames are out of order")
    leaps = sum(after - before > 12 for before, after in zip(numbers, numbers[1:]))
    expect(leaps == 3, f"{leaps} leaps")


@test()
def pause_still(desktop):
    """20 pauses on a still screen"""
    share(desktop)
    with desktop.painted(0):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        for number in range(20):
            desktop.elapsed(1)
            for command in ("pause", "resume"):
                desktop.broadcast(command, status=0)
                time.sleep(0.6)
                expect(process.poll() is None, f"ended after {command} {number + 1}: {desktop.messages(process)}")
        time.sleep(1)
        desktop.stop(process)
    found = colours(Recording(desktop.file("a.ts")))
    expect(found[-1] == "2040c0", f"the last pictures are {found[-3:]}")


@test()
def pause_hides(desktop):
    """What is shown only during a pause is in no frame"""
    share(desktop)
    with desktop.painted(0):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        for _ in range(3):
            desktop.elapsed(1)
            desktop.broadcast("pause", status=0)
            with desktop.painted(0, "--colour", "C02040", "--app-id", "test.secret"):
                time.sleep(1)
            time.sleep(0.3)
            desktop.broadcast("resume", status=0)
            time.sleep(1)
        desktop.stop(process)
    found = colours(Recording(desktop.file("a.ts")))
    expect("c02040" not in found and found[-1] == "2040c0", f"{found}")


@test()
def region(desktop):
    """A region of the monitor"""
    share(desktop)
    with desktop.painted(0):
        desktop.broadcast("start", "--region", "400x300+200+100", "--duration", "2s", "--to", desktop.file("a.mp4"), status=0)
    recording = Recording(desktop.file("a.mp4"))
    expect(colours(recording)[-1] == "2040c0", "the colour is wrong")


@test("sway", "hyprland")
def window(desktop):
    """A window, without the rest"""
    with desktop.painted(0, "--size", "400x300", "--colour", "20C040", "--app-id", "test.window", "--title", "window"):
        process = ask(desktop, "--window", "pick", "--to", desktop.file("a.mp4"), choice="window")
        desktop.elapsed(2)
        desktop.stop(process)
    prepare(desktop, "monitor")
    found = colours(Recording(desktop.file("a.mp4")))
    expect(found[-1] == "20c040", f"the pictures are {found}")


@test()
def sound(desktop):
    """Sound of an application, through pipewire-pulse"""
    share(desktop)
    path = desktop.folder + "/tone.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=1000:duration=30", "-ac", "2", "-ar", "48000", "-af", "volume=4",
                    path], check=True)
    os.chmod(path, 0o644)
    player = subprocess.Popen(desktop.in_root("paplay", path), env=desktop.environment, stdin=subprocess.DEVNULL)
    try:
        desktop.broadcast("start", "--duration", "4s", "--to", desktop.file("a.mp4"), status=0)
    finally:
        player.kill()
        player.wait()
    text = subprocess.run(["ffmpeg", "-i", desktop.file("a.mp4"), "-map", "0:a", "-af", "atrim=1.5:3.5,volumedetect", "-f", "null", "-"],
                          capture_output=True, text=True).stderr
    mean = float(re.search(r"mean_volume: (-?[0-9.]+) dB", text)[1])
    expect(-20 < mean < -2, f"the mean volume is {mean} dB")
    return f"{mean} dB"


@test()
def key_binding(desktop):
    """Without a terminal, the first start opens the dialog by itself, and --no-dialog refuses it"""
    desktop.broadcast("forget-source")
    result = desktop.broadcast("start", "--no-dialog", "--duration", "1s", "--to", desktop.file("a.mp4"))
    expect(result.returncode == 77, f"exit {result.returncode}: {result.stderr.strip()}")
    process = desktop.begin("--duration", "2s", "--to", desktop.file("a.mp4"))
    answer(desktop, process, "monitor")
    desktop.end(process, 0)


@test()
def private_memory(desktop):
    """While it is live, no other process of the user reads its memory or environment"""
    share(desktop)
    process = desktop.live("--to", desktop.file("a.mp4"))
    name = os.path.basename(desktop.program)
    script = f"for p in $(pgrep -x {name}); do for f in environ mem maps; do cat /proc/$p/$f 2> /dev/null | head -c 1 | grep -q . && echo $p/$f; done; done; true"
    readable = desktop.tool("sh", "-c", script).split()
    count = len(desktop.tool("pgrep", "-x", name).split())
    desktop.stop(process)
    expect(not readable and count >= 2, f"readable: {readable}, of {count} processes")


# MARK: Outputs

def set_output(desktop, command):
    """Switches the monitor `off` and `on`, or gives it another `size` or `scale`."""
    if desktop.kind == "sway":
        words = {"off": "disable", "on": "enable", "size": "resolution 1024x768", "normal": "resolution 1280x720 scale 1", "scale": "scale 2"}
        desktop.tool("swaymsg", "output", "HEADLESS-1", *words[command].split())
    elif desktop.kind == "hyprland":
        rules = {"off": "disabled = true", "on": "mode = '1280x720@60', position = '0x0', scale = 1",
                 "size": "mode = '1024x768@60', position = '0x0', scale = 1", "normal": "mode = '1280x720@60', position = '0x0', scale = 1",
                 "scale": "mode = '1280x720@60', position = '0x0', scale = 2"}
        desktop.tool("hyprctl", "eval", f"hl.monitor({{ output = 'HEADLESS-1', {rules[command]} }})")
    else:
        raise Failure(f"not known for {desktop.kind}")


@test("sway", "hyprland", breaks=True)
def output_returns(desktop):
    """An output that goes away and comes back"""
    share(desktop)
    with desktop.painted(0):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        desktop.elapsed(2)
        set_output(desktop, "off")
        wait("the report", lambda: "monitor" in desktop.messages(process) or process.poll() is not None)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        time.sleep(3)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        set_output(desktop, "on")
    with desktop.painted(0, "--colour", "20C040"):
        try:
            wait("the picture", lambda: desktop.status()["source"].get("state", "shown") == "shown" and process.poll() is None, 20)
        except Failure as failure:
            raise Failure(f"{failure}: {desktop.messages(process)}")
        time.sleep(2)
        desktop.stop(process)
    found = colours(Recording(desktop.file("a.ts")))
    expect("2040c0" in found and found[-1] == "20c040" and len(found) > 2, f"{found}")


@test("sway", "hyprland", breaks=True)
def size_changes(desktop):
    """The size and the scale of the output change while it is live"""
    share(desktop)
    # xdg-desktop-portal-wlr 0.8.4 ends by itself if the size changes while nothing moves.
    with desktop.painted(30):
        process = desktop.live("--to", desktop.file("a.mp4"))
        for command in ("size", "normal", "scale", "normal"):
            set_output(desktop, command)
            time.sleep(2)
            expect(process.poll() is None, f"ended after {command}: {desktop.messages(process)}")
        desktop.stop(process)
    recording = Recording(desktop.file("a.mp4"))
    expect(recording.number(recording.frames[-1]), "the last picture shows no number")


# MARK: Ends

BACKENDS = {"sway": "xdg-desktop-portal-wlr", "gnome": "xdg-desktop-portal-gnome", "kwin": "xdg-desktop-portal-kde",
            "hyprland": "xdg-desktop-portal-hyprland"}
COMPOSITORS = {"sway": "sway", "gnome": "gnome-shell", "kwin": "kwin_wayland", "hyprland": "Hyprland"}


@test(breaks=True)
def portal_killed(desktop):
    """The portal is killed: the broadcast continues, or ends with its file complete"""
    share(desktop)
    process = desktop.live("--to", desktop.file("a.mp4"))
    desktop.elapsed(2)
    desktop.kill("xdg-desktop-portal")
    time.sleep(3)
    if process.poll() is None:
        desktop.broadcast("stop", status=0)
        process.wait(20)
    expect(process.returncode in (0, 69), f"exit {process.returncode}: {desktop.messages(process)}")
    Recording(desktop.file("a.mp4"))
    return f"exit {process.returncode}"


@test(breaks=True)
def compositor_killed(desktop):
    """The compositor is killed: the file is complete"""
    share(desktop)
    process = desktop.live("--to", desktop.file("a.mp4"))
    desktop.elapsed(2)
    desktop.kill(COMPOSITORS[desktop.kind])
    desktop.end(process, 69)
    expect("complete" in desktop.messages(process), desktop.messages(process))
