#!/usr/bin/python3
"""usage: gnome-input.py share | click X Y

Clicks in GNOME Shell, as a remote desktop does. `share` waits for the dialog of the portal, and clicks its button Share."""
import json
import sys
import time

from gi.repository import Gio, GLib

NAME = "org.gnome.Mutter.RemoteDesktop"
DIALOG = """
(() => {
    Main.overview.hide();
    const dialog = global.get_window_actors().map(actor => actor.meta_window).find(window => /portal/.test(window.get_wm_class()));
    if (!dialog) return null;
    dialog.activate(global.get_current_time());
    const frame = dialog.get_frame_rect();
    return [frame.x, frame.y, frame.width, frame.height];
})()"""
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def call(path, interface, method, arguments=None, name=NAME):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 5000, None)


def dialog():
    done, text = call("/org/gnome/Shell", "org.gnome.Shell", "Eval", GLib.Variant("(s)", (DIALOG,)), "org.gnome.Shell").unpack()
    if not done:
        sys.exit(text)
    return json.loads(text or "null")


def click(x, y):
    session = call("/org/gnome/Mutter/RemoteDesktop", NAME, "CreateSession").unpack()[0]
    call(session, NAME + ".Session", "Start")
    time.sleep(0.2)
    # To the bottom right corner first: there is no absolute movement without a screen cast, and the top left one opens the overview.
    for step in ((5000.0, 5000.0), (float(x) - 1279, float(y) - 719)):
        call(session, NAME + ".Session", "NotifyPointerMotionRelative", GLib.Variant("(dd)", step))
        time.sleep(0.2)
    for is_pressed in (True, False):
        call(session, NAME + ".Session", "NotifyPointerButton", GLib.Variant("(ib)", (272, is_pressed)))
        time.sleep(0.1)
    call(session, NAME + ".Session", "Stop")


if sys.argv[1] == "click":
    click(*sys.argv[2:4])
else:
    seen, deadline = False, time.monotonic() + 30
    while time.monotonic() < deadline:
        frame = dialog()
        if frame:
            seen = True
            time.sleep(0.7)
            x, y, width, _ = dialog() or frame
            click(x + width - 48, y + 23)
            time.sleep(0.7)
        elif seen:
            sys.exit(0)
        time.sleep(0.2)
    sys.exit("no dialog, or it stayed")
