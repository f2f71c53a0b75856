"""Answers the dialog of each desktop as a user does: with real input, where the desktop lets a program make it."""

def answer(desktop, process, choice):
    """Chooses the monitor or a window in the dialog that a start shows. Returns when the dialog is gone, or when there was none."""
    {"sway": sway, "gnome": gnome, "kwin": kwin, "hyprland": hyprland}[desktop.kind](desktop, process, choice)


def sway(desktop, process, choice):
    # The portal of wlroots runs a menu program; the rig's answers at once with the line in this file.
    pass


def hyprland(desktop, process, choice):
    # Hyprland's portal runs a picker program; the rig's answers at once with the line in this file.
    pass


def gnome(desktop, process, choice):
    desktop.tool("/opt/rig/gnome-input.py", "share")


def kwin(desktop, process, choice):
    desktop.tool("/opt/rig/kwin-input.py")
