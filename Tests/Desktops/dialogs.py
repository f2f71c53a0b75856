"""Answers the dialog of each desktop as a user does: with real input."""
import json
import os
import time

from desktop import LIMIT, Failure, wait


def answer(desktop, process, choice):
    """Chooses the monitor or a window in the dialog that a start shows. Returns when the dialog is gone, or when there
    was none."""
    {"sway": sway, "gnome": gnome, "kwin": kwin, "hyprland": hyprland}[desktop.kind](desktop, process, choice)


def control(desktop, *lines):
    """Uses the virtual keyboard and mouse of sway and Hyprland (wlr-input.py)."""
    for line in lines:
        def count():
            with open(desktop.folder + "/input.log") as log:
                return len(log.readlines())

        before = count()
        # Fails if nobody reads.
        with open(os.open(desktop.folder + "/input", os.O_WRONLY | os.O_NONBLOCK), "w") as fifo:
            fifo.write(line + "\n")
        wait(f"the input {line}", lambda: count() > before, 10)


def repeat(desktop, process, is_open, act):
    """Does `act` until a dialog that opened is gone."""
    was_open, deadline = False, time.monotonic() + LIMIT
    while time.monotonic() < deadline and process.poll() is None:
        if is_open():
            was_open = True
            act()
        elif was_open:
            return
        time.sleep(0.2)
    if process.poll() is not None:
        raise Failure(f"broadcast ended at its dialog: {desktop.messages(process)}")
    raise Failure("no dialog" if not was_open else "the dialog stayed")


def sway(desktop, process, choice):
    text = {"monitor": "monitor headless-1", "window": "window"}[choice]
    # Keys that are sent before the menu has the focus are lost.
    repeat(
        desktop, process, lambda: desktop.runs("wmenu"),
        lambda: (time.sleep(0.3), desktop.runs("wmenu") and control(desktop, "type " + text)))


def hyprland(desktop, process, choice):
    def picker():
        return next(
            (client for client in json.loads(desktop.tool("hyprctl", "-j", "clients"))
             if client["class"] == "hyprland-share-picker"), None)

    def click(x, y):
        # Hyprland passes on a movement only if the place changes, and not the first one of a mouse.
        control(desktop, f"move {x - 6} {y}", f"move {x} {y}", "click")

    def choose():
        time.sleep(0.3)
        window = picker()
        if not window:
            return
        (x, y), (width, _) = window["at"], window["size"]
        if choice == "window":
            click(x + 112, y + 23)
            time.sleep(0.3)
        # The first entry of the list.
        click(x + width // 2, y + 75)
        time.sleep(0.5)

    repeat(desktop, process, picker, choose)


def gnome(desktop, process, choice):
    desktop.tool("/opt/rig/gnome-input.py", "share", choice)


def kwin(desktop, process, choice):
    desktop.tool("/opt/rig/kwin-input.py", "share")
