"""What is tried on each desktop. A test is a function whose first line of documentation is its name in the table; it
returns a remark for the table's reader, or raises Failure."""
import os
import re
import select
import signal
import subprocess
import threading
import time

from desktop import Desktop, Failure, Recording, expect, wait
from dialogs import answer, control

TESTS = []


def test(*kinds, breaks=False, measures=False):
    """Marks a test, for all desktops or only for those that are named. After one that breaks something of the session,
    a new session is started. One that measures has the machine for itself."""
    def mark(function):
        function.breaks, function.measures = breaks, measures
        TESTS.append((function.__doc__.split("\n")[0].rstrip("."), function, kinds))
        return function
    return mark


def all(desktop):
    return [(name, function) for name, function, kinds in TESTS if not kinds or desktop.kind in kinds]


def ask(desktop, *arguments, choice="monitor"):
    """Starts a broadcast with the dialog, answers it, and waits until the broadcast is live."""
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
        name = next(
            (name for name in ("2040c0", "20c040", "c02040", "804000", "000000") if nearly(frame, bytes.fromhex(name))),
            frame.hex())
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
    """Starts in a row on a still screen"""
    share(desktop)
    count = 50 if desktop.kind == "sway" else 20
    with desktop.painted(0):
        for number in range(count):
            result = desktop.broadcast("start", "--duration", "1s", "--to", desktop.file("a.mp4"))
            expect(result.returncode == 0, f"start {number + 1}: exit {result.returncode}: {result.stderr.strip()}")
            found = colours(Recording(desktop.file("a.mp4")))
            expect(found[-1] == "2040c0", f"start {number + 1} shows {found}: {result.stderr.strip()}")
    return f"{count} starts"


@test(measures=True)
def clock_30(desktop):
    """Painted clock of 30/s: no picture lost"""
    # Hyprland's portal asks for the next picture one interval of 60/s after the last one, and misses one that comes
    # before.
    return clock(desktop, 30, 60, share_of_pictures=0.97 if desktop.kind == "hyprland" else 1.0)


@test(measures=True)
def clock_60(desktop):
    """Painted clock of 60/s"""
    return clock(desktop, 60, 60, share_of_pictures=0.5)


def clock(desktop, rate, fps, share_of_pictures=1.0):
    share(desktop)
    with desktop.painted(rate) as painter:
        desktop.broadcast("start", "--fps", str(fps), "--duration", "8s", "--to", desktop.file("a.mp4"), status=0)
        return Recording(desktop.file("a.mp4")).check(painter, rate, share_of_pictures)


@test(measures=True)
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
    expect("c02040" not in found and found[-1] == "2040c0", f"{found}: {desktop.messages(process)}")


@test()
def region(desktop):
    """A region of the monitor"""
    share(desktop)
    with desktop.painted(0):
        desktop.broadcast(
            "start", "--region", "400x200+200+100", "--duration", "2s", "--to", desktop.file("a.mp4"), status=0)
    recording = Recording(desktop.file("a.mp4"))
    expect(colours(recording)[-1] == "2040c0", "the colour is wrong")


@test()
def window(desktop):
    """A window, without the rest"""
    with desktop.painted(0, "--size", "400x300", "--colour", "20C040", "--app-id", "test.window", "--title", "window"):
        process = ask(desktop, "--window", "pick", "--no-cursor", "--to", desktop.file("a.mp4"), choice="window")
        desktop.elapsed(1)
        # Another window covers it, and is not in the picture. Hyprland would make the window smaller.
        if desktop.kind != "hyprland":
            with desktop.painted(0):
                desktop.elapsed(3)
        desktop.elapsed(4)
        desktop.stop(process)
    recording = Recording(desktop.file("a.mp4"))
    expect(colours(recording)[-1] == "20c040", f"the pictures are {colours(recording)}")
    if desktop.kind != "hyprland":
        cells = recording.decode("scale=in_color_matrix=bt709,format=rgb24,scale=16:12:flags=area", 3)
        expect(has_only(cells, "20c040"), "there are other colours in the pictures")
    return f"{colours(recording)}"


@test()
def sound(desktop):
    """Sound of an application, through pipewire-pulse"""
    share(desktop)
    path = desktop.folder + "/tone.wav"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=frequency=1000:duration=30", "-ac", "2", "-ar",
                    "48000", "-af", "volume=4",
                    path], check=True)
    os.chmod(path, 0o644)
    player = subprocess.Popen(desktop.in_root("paplay", path), env=desktop.environment, stdin=subprocess.DEVNULL)
    try:
        desktop.broadcast("start", "--duration", "4s", "--to", desktop.file("a.mp4"), status=0)
    finally:
        player.kill()
        player.wait()
    text = subprocess.run(["ffmpeg", "-i", desktop.file("a.mp4"), "-map", "0:a", "-af", "atrim=1.5:3.5,volumedetect",
                           "-f", "null", "-"],
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
    # Opening is what the kernel checks: place 0 of mem has no memory. A process that has ended and was not waited for
    # has none.
    script = (f"for p in $(pgrep -x -r DRSt {name}); do for f in environ mem maps; do "
              "(exec 3< /proc/$p/$f) 2> /dev/null && echo $p/$f; done; done; true")
    readable = set(desktop.tool("sh", "-c", script).split())
    if readable:
        # A process that has just begun protects itself before it has a secret.
        time.sleep(1)
        readable &= set(desktop.tool("sh", "-c", script).split())
    count = len(desktop.tool("pgrep", "-x", name).split())
    desktop.stop(process)
    expect(not readable and count >= 2, f"readable: {readable}, of {count} processes")


# MARK: Pointer

def move_pointer(desktop, x, y):
    """Moves the pointer to a place of the monitor. It may vanish after `release_pointer`."""
    if desktop.kind in ("sway", "hyprland"):
        return control(desktop, f"move {x} {y}")
    if not desktop.pointer:
        desktop.pointer = subprocess.Popen(desktop.in_root(f"/opt/rig/{desktop.kind}-input.py", "pointer"),
                                           env=desktop.environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    desktop.pointer.stdin.write(f"{x} {y}\n")
    desktop.pointer.stdin.flush()
    expect(desktop.pointer.stdout.readline() == "moved\n", "the pointer did not move")


def release_pointer(desktop):
    if desktop.pointer:
        desktop.pointer.communicate(timeout=20)
        desktop.pointer = None


@test(breaks=True)
def cursor(desktop):
    """The mouse pointer, and none with --no-cursor"""
    share(desktop)
    # The portals of sway and Hyprland remember the kind of pointer with the choice.
    begin = ask if desktop.kind in ("sway", "hyprland") else Desktop.live
    places = ((200, 100), (500, 250))
    remark = ""
    try:
        with desktop.painted(0):
            # wlroots leaves the pointer in all captures after one that showed it, until it uses a hardware cursor
            # again.
            for option in ("--no-cursor", "--cursor"):
                process = begin(desktop, option, "--to", desktop.file("a.mp4"))
                for place in places:
                    move_pointer(desktop, *place)
                    desktop.elapsed(desktop.status()["elapsed"] + 1)
                desktop.stop(process)
                recording = Recording(desktop.file("a.mp4"))
                expect(colours(recording)[-1] == "2040c0", f"the pictures with {option} are {colours(recording)}")
                first, last = (drawn(recording, *place) for place in places)
                expect(first == 0, f"with {option}, {first} pixels where the pointer was before are not the painter's")
                # Without a GPU there is no hardware cursor, and Hyprland paints its pointer into every capture.
                if desktop.kind == "hyprland" and option == "--no-cursor" and last > 20:
                    remark = "the compositor shows it with --no-cursor too"
                    continue
                expect(
                    (last > 20) == (option == "--cursor"),
                    f"with {option}, {last} pixels where the pointer is are not the painter's")
    finally:
        release_pointer(desktop)
    return remark


def drawn(recording, x, y, reach=32):
    """How many pixels near this place of the last frame do not have the painter's colour."""
    crop = f"crop={2 * reach}:{2 * reach}:{x - reach}:{y - reach}"
    frame = recording.decode(f"{crop},scale=in_color_matrix=bt709,format=rgb24", 3 * (2 * reach) ** 2)[-1]
    return sum(
        max(abs(a - b) for a, b in zip(frame[i:i + 3], bytes.fromhex("2040c0"))) > 60 for i in range(0, len(frame), 3))


# MARK: Outputs

def set_output(desktop, command):
    """Switches the monitor `off` and `on`, or gives it another `size` or `scale`, or turns it (`left`)."""
    if desktop.kind == "sway":
        words = {
            "off": "disable", "on": "enable", "size": "resolution 1024x768", "normal": "resolution 1280x720 scale 1",
            "scale": "scale 2"}
        desktop.tool("swaymsg", "output", "HEADLESS-1", *words[command].split())
    elif desktop.kind == "hyprland":
        # A rule keeps what it does not name of the one before it, also `disabled`.
        on = "disabled = false, position = '0x0', mode = "
        rules = {"off": "disabled = true", "on": on + "'640x360@60', scale = 1", "size": on + "'512x384@60', scale = 1",
                 "normal": on + "'640x360@60', scale = 1", "scale": on + "'640x360@60', scale = 2"}
        desktop.tool("hyprctl", "eval", f"hl.monitor({{ output = 'HEADLESS-1', {rules[command]} }})")
    elif desktop.kind == "gnome":
        first = "--logical-monitor --primary --monitor Meta-0 "
        words = {"scale": first + "--scale 1.25", "left": first + "--transform 90", "normal": first + "--scale 1",
                 "off": "--logical-monitor --primary --monitor Meta-1",
                 "on": first + "--logical-monitor --monitor Meta-1 --right-of Meta-0"}
        desktop.tool("gdctl", "set", *words[command].split())
    elif desktop.kind == "kwin":
        settings, expected = {"size": ("mode.1024x768@60", "0,0,1024x768"), "scale": ("scale.2", "0,0,640x360"),
                              "left": ("rotation.left", "0,0,720x1280"),
                              "normal": ("mode.1280x720@60 scale.1 rotation.none", "0,0,1280x720"),
                              "off": ("disable", None), "on": ("enable", "0,0,1280x720")}[command]
        if command == "size":
            desktop.tool("kscreen-doctor", "output.Virtual-0.addCustomMode.1024.768.60000.full")
        # It reports no failure, and does not always end after its work: if a monitor appears meanwhile, Qt's thread
        # that reads Wayland events may wait for the main thread, which waits for that thread.
        process = subprocess.Popen(desktop.in_root("kscreen-doctor",
                                                   *("output.Virtual-0." + setting for setting in settings.split())),
                                   env=desktop.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            wait(f"{command} of the monitor", lambda: kwin_geometry(desktop) == expected)
        finally:
            process.kill()
            process.wait()
    else:
        raise Failure(f"not known for {desktop.kind}")


def kwin_geometry(desktop):
    """The place and size of KWin's first monitor, in logical pixels; None if it is switched off."""
    text = desktop.tool(
        "gdbus", "call", "--session", "-d", "org.kde.KWin", "-o", "/KWin", "-m", "org.kde.KWin.supportInformation")
    found = re.search(r"Name: Virtual-0\\nEnabled: 1\\nGeometry: ([0-9,x]+)", text)
    return found and found[1]


@test(breaks=True)
def output_returns(desktop):
    """An output that goes away and comes back"""
    share(desktop)
    place = ()
    if desktop.kind in ("gnome", "kwin"):
        # They do not switch off the last monitor. The choice is remembered.
        desktop.restart(outputs=2)
        place = ("--monitor", {"gnome": "Meta-0", "kwin": "Virtual-0"}[desktop.kind])
    with desktop.painted(0, *place):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        desktop.elapsed(2)
        set_output(desktop, "off")
        wait("the report", lambda: "is disconnected or off" in desktop.messages(process) or process.poll() is not None)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        time.sleep(3)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        expect(desktop.status()["source"].get("withheld"), "the status does not say that viewers see the slate")
        set_output(desktop, "on")
    with desktop.painted(0, "--colour", "20C040", *place):
        try:
            wait("the picture", lambda: process.poll() is None and not desktop.status()["source"].get("withheld"), 20)
        except Failure as failure:
            raise Failure(f"{failure}: {desktop.messages(process)}")
        time.sleep(2)
        desktop.stop(process)
    found = colours(Recording(desktop.file("a.ts")))
    expect("2040c0" in found and found[-1] == "20c040" and len(found) > 2, f"{found}")
    return f"{found}"


@test(breaks=True, measures=True)
def size_changes(desktop):
    """The size and the scale of the output change while it is live"""
    share(desktop)
    if desktop.kind == "gnome":
        return sharing_ends(desktop, "scale", "left")
    changed = ("size", "scale", "left") if desktop.kind == "kwin" else ("size", "scale")
    # xdg-desktop-portal-wlr 0.8.4 ends by itself if the size changes while it waits for a frame, so mostly while
    # nothing moves.
    with desktop.painted(30) as painter:
        process = desktop.live("--to", desktop.file("a.mp4"))
        for command in (command for change in changed for command in (change, "normal")):
            set_output(desktop, command)
            time.sleep(2)
            if desktop.kind == "sway" and process.poll() is not None:
                # Its portal asks for a second frame while one is pending, and the compositor ends it.
                desktop.end(process, 69)
                expect("complete" in desktop.messages(process), desktop.messages(process))
                expect(Recording(desktop.file("a.mp4")).frames, "no frames")
                return f"xdg-desktop-portal-wlr ended after {command}, the file is complete"
            expect(process.poll() is None, f"ended after {command}: {desktop.messages(process)}")
        desktop.stop(process)
    recording = Recording(desktop.file("a.mp4"))
    expect(recording.number(recording.frames[-1]) in painter.numbers(), "the last picture shows no number")
    expect(recording.numbers == sorted(recording.numbers), "frames are out of order")
    # 1024x768 and 720x1280 in 1280x720.
    crops = {"size": "iw*3/4:ih/8:iw/8:0", "left": "ih*9/16:ih/8:(iw-ih*9/16)/2:0"}
    frames = [recording.decode(f"crop={crop},scale=32:1:flags=area,format=gray", 32)
              for command, crop in crops.items() if command in changed]
    counts = [len({recording.number(frame) for frame in part} & painter.numbers()) for part in frames]
    expect(min(counts) > 5, f"{counts} pictures in the other sizes")
    return f"{counts} pictures in the other sizes"


def sharing_ends(desktop, *commands):
    """mutter ends a cast when the size of the monitor in logical pixels changes. The file must be complete."""
    for command in commands:
        with desktop.painted(30) as painter:
            process = desktop.live("--to", desktop.file("a.mp4"))
            desktop.elapsed(2)
            set_output(desktop, command)
            desktop.end(process, 0)
            expect("The desktop ended the sharing" in desktop.messages(process), desktop.messages(process))
        expect(set(Recording(desktop.file("a.mp4")).numbers) & painter.numbers(), "no picture shows a number")
        set_output(desktop, "normal")
    return "the desktop ends the sharing"


# MARK: Lock

def set_lock(desktop, signal):
    """Locks the screen, or unlocks it, as `loginctl lock-session` does."""
    desktop.tool("gdbus", "call", "--system", "-d", "org.freedesktop.login1", "-o",
                 "/org/freedesktop/login1/session/auto",
                 "-m", "org.freedesktop.DBus.Mock.EmitSignal", "org.freedesktop.login1.Session", signal, "", "@av []")


@test("gnome", "kwin", breaks=True)
def lock(desktop):
    """The screen is locked and unlocked
    Viewers see the slate meanwhile, and then the screen again."""
    share(desktop)
    with desktop.painted(0):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        desktop.elapsed(2)
        set_lock(desktop, "Lock")
        wait("the report of the lock", lambda: desktop.status()["source"].get("locked") or process.poll() is not None)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        with desktop.painted(0, "--colour", "C02040", "--app-id", "test.secret"):
            time.sleep(3)
        expect(desktop.status()["source"].get("locked"), "the lock did not last")
        set_lock(desktop, "Unlock")
        wait(
            "the report of the unlocking",
            lambda: process.poll() is not None or not desktop.status()["source"].get("locked"))
        wait("the picture", lambda: process.poll() is not None or not desktop.status()["source"].get("withheld"))
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        time.sleep(3)
        desktop.stop(process)
    found = runs(Recording(desktop.file("a.ts")))
    summary = ", ".join(f"{count} {name}" for name, count in found)
    names = [name for name, _ in found]
    expect(names[0] == names[-1] == "2040c0" and names.count("slate") == 1 and "c02040" not in names, summary)
    expect(dict(found)["slate"] >= 60 and found[-1][1] >= 30, summary)
    # KWin shows black until its dialog is there, and reports the lock only then.
    expect(sum(count for name, count in found if name == "other") <= 15, summary)
    return summary


@test("sway", "hyprland", breaks=True)
def lock_surface(desktop):
    """The screen is locked and unlocked
    The compositor shows only the locker meanwhile. It tells nobody that the screen is locked."""
    share(desktop)
    with desktop.painted(0):
        process = desktop.live("--to", desktop.file("a.ts"), "--frame-pacing", "constant")
        desktop.elapsed(2)
        locker = subprocess.Popen(desktop.in_root("swaylock", "-C", "/dev/null", "--no-unlock-indicator", "--color",
                                                  "804000", "--ready-fd", "1"),
                                  env=desktop.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        # It writes a line when the compositor has locked the screen.
        expect(select.select([locker.stdout], [], [], 30)[0] and locker.stdout.readline(), "swaylock does not lock")
        time.sleep(3)
        expect(process.poll() is None, f"ended: {desktop.messages(process)}")
        locker.send_signal(signal.SIGUSR1)
        locker.wait(30)
        time.sleep(2)
        desktop.stop(process)
    found = colours(Recording(desktop.file("a.ts")))
    # sway shows black until the locker has painted.
    locked = found[found.index("2040c0") + 1:-1]
    expect(found[-1] == "2040c0" and "804000" in locked and not set(locked) - {"804000", "000000"}, f"{found}")


def has_only(cells, colour):
    return not [cell for cell in cells if not nearly(cell, bytes.fromhex(colour))]


def runs(recording):
    """What the frames show, with the number of frames in a row."""
    found = []
    for frame in recording.decode("scale=in_color_matrix=bt709,format=rgb24,scale=17:17:flags=area", 3 * 17 * 17):
        cells = [frame[i:i + 3] for i in range(0, len(frame), 3)]
        name = next((name for name in ("2040c0", "c02040", "000000") if has_only(cells, name)), None)
        # The slate is dark grey, with the sign of a pause in its centre.
        if not name and has_only(cells[:17] + cells[-17:], "1c1c1c") and not has_only(cells, "1c1c1c"):
            name = "slate"
        name = name or "other"
        if found and found[-1][0] == name:
            found[-1][1] += 1
        else:
            found.append([name, 1])
    return found


# MARK: Ends

STOP_BUTTONS = {"gnome": ("/opt/rig/gnome-input.py", "stop"), "kwin": ("/opt/rig/kwin-panel.py", "stop")}


@test("gnome", "kwin")
def stop_button(desktop):
    """The desktop's own button that stops the sharing"""
    share(desktop)
    with desktop.painted(0, "--size", "400x300"):
        process = desktop.live("--to", desktop.file("a.mp4"))
        desktop.elapsed(2)
        desktop.tool(*STOP_BUTTONS[desktop.kind])
        desktop.end(process, 0)
    messages = desktop.messages(process)
    expect("The desktop ended the sharing" in messages, messages)
    recording = Recording(desktop.file("a.mp4"))
    expect(recording.frames, "no frames")
    return next(line for line in messages.split("\n") if "The desktop ended" in line)


BACKENDS = {"sway": "xdg-desktop-portal-wlr", "gnome": "xdg-desktop-portal-gnome", "kwin": "xdg-desktop-portal-kde",
            "hyprland": "xdg-desktop-portal-hyprland"}
COMPOSITORS = {"sway": "sway", "gnome": "gnome-shell", "kwin": "kwin_wayland", "hyprland": "Hyprland"}


@test(breaks=True)
def portal_killed(desktop):
    """The portal is killed: the broadcast continues, or ends with its file complete"""
    return without(desktop, "xdg-desktop-portal")


@test(breaks=True)
def backend_killed(desktop):
    """The portal's backend is killed: the broadcast continues, or ends with its file complete"""
    return without(desktop, BACKENDS[desktop.kind])


def without(desktop, name):
    share(desktop)
    process = desktop.live("--to", desktop.file("a.mp4"))
    desktop.elapsed(2)
    desktop.kill(name)
    time.sleep(3)
    if process.poll() is None:
        desktop.broadcast("stop", status=0)
        process.wait(20)
    expect(process.returncode in (0, 69), f"exit {process.returncode}: {desktop.messages(process)}")
    expect(Recording(desktop.file("a.mp4")).frames, "no frames")
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
