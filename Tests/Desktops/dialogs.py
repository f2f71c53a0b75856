"""Answers the dialog of each desktop as a user does: with real input, where the desktop lets a program make it."""

def answer(desktop, process, choice):
    """Chooses the monitor or a window in the dialog that a start shows. Returns when the dialog is gone, or when there was none."""
    {"sway": sway, "gnome": gnome, "kwin": kwin, "hyprland": hyprland}[desktop.kind](desktop, process, choice)


CHOICES = {
    ("sway", "monitor"): "Monitor: HEADLESS-1", ("sway", "window"): "Window:",
    ("hyprland", "monitor"): "screen:HEADLESS-1", ("hyprland", "window"): "class:test.window",
}


def prepare(desktop, choice):
    """Says what the rig's menu answers, before it is asked: the portals of sway and Hyprland run a program for the choice."""
    line = CHOICES.get((desktop.kind, choice))
    if line:
        with open(desktop.folder + "/choice", "w") as file:
            file.write(line)


def sway(desktop, process, choice):
    pass


def hyprland(desktop, process, choice):
    pass


def gnome(desktop, process, choice):
    desktop.tool("/opt/rig/gnome-input.py", "share")


def kwin(desktop, process, choice):
    desktop.tool("/opt/rig/kwin-input.py")
