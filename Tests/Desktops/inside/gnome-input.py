#!/usr/bin/python3
"""usage: gnome-input.py share CHOICE | stop | pointer

Clicks in GNOME Shell, or moves its pointer, as a remote desktop does. `share` waits for the dialog of the portal, and
clicks its button Share; with the choice `window` its first window before. `stop` clicks the panel's indicator of a
shared screen, which is there as long as the screen is shared. `pointer` moves the pointer to the place in each line of
its input, and answers with a line: the pointer is shown as long as there is a device."""
import json
import sys
import time

from gi.repository import Gio, GLib

NAME = "org.gnome.Mutter.RemoteDesktop"
DIALOG = """
(() => {
    Main.overview.hide();
    const dialog = global.get_window_actors().map(actor => actor.meta_window)
        .find(window => /portal/.test(window.get_wm_class()));
    if (!dialog) return null;
    dialog.activate(global.get_current_time());
    const frame = dialog.get_frame_rect();
    // It has no size before its first picture.
    if (frame.width === 0) return null;
    return [frame.x, frame.y, frame.width, frame.height];
})()"""
# Where the indicator is. The remote desktop of this program shows it too.
INDICATOR = """
(() => {
    const indicator = Main.panel.statusArea.screenSharing;
    if (!indicator.visible || !indicator.mapped) return null;
    const [x, y] = indicator.get_transformed_position();
    return [x, y, indicator.width, indicator.height];
})()"""
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def call(path, interface, method, arguments=None, name=NAME):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 5000, None)


def evaluate(script):
    done, text = call(
        "/org/gnome/Shell", "org.gnome.Shell", "Eval", GLib.Variant("(s)", (script,)), "org.gnome.Shell").unpack()
    if not done:
        sys.exit(text)
    return json.loads(text or "null")


def open_session():
    session = call("/org/gnome/Mutter/RemoteDesktop", NAME, "CreateSession").unpack()[0]
    call(session, NAME + ".Session", "Start")
    time.sleep(0.2)
    return session


def move(session, x, y):
    place = float(x), float(y)
    # To a corner first: there is no absolute movement without a screen cast.
    for step in ((-5000.0, -5000.0), place):
        call(session, NAME + ".Session", "NotifyPointerMotionRelative", GLib.Variant("(dd)", step))
        time.sleep(0.2)
    reached = evaluate("global.get_pointer().slice(0, 2)")
    if max(abs(one - other) for one, other in zip(reached, place)) > 1:
        sys.exit(f"the pointer is at {reached} instead of {place}")


def click(x, y):
    session = open_session()
    move(session, x, y)
    for is_pressed in (True, False):
        call(session, NAME + ".Session", "NotifyPointerButton", GLib.Variant("(ib)", (272, is_pressed)))
        time.sleep(0.1)
    call(session, NAME + ".Session", "Stop")


if sys.argv[1] == "stop":
    frame = evaluate(INDICATOR)
    if not frame:
        sys.exit("no indicator")
    x, y, width, height = frame
    session = open_session()
    move(session, x + width / 2, y + height / 2)
    # The shell acts on the press. It ends this session too, and the release with it.
    call(session, NAME + ".Session", "NotifyPointerButton", GLib.Variant("(ib)", (272, True)))
elif sys.argv[1] == "pointer":
    session = open_session()
    for line in sys.stdin:
        move(session, *line.split())
        print("moved", flush=True)
else:
    seen, deadline = False, time.monotonic() + 30
    while time.monotonic() < deadline:
        frame = evaluate(DIALOG)
        if frame:
            seen = True
            time.sleep(0.7)
            x, y, width, _ = evaluate(DIALOG) or frame
            if sys.argv[2] == "window":
                click(x + width / 2, y + 144)
                time.sleep(0.3)
            click(x + width - 48, y + 23)
            time.sleep(0.7)
        elif seen:
            sys.exit(0)
        time.sleep(0.2)
    sys.exit("no dialog, or it stayed")
