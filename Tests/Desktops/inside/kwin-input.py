#!/usr/bin/python3
"""usage: kwin-input.py share | pointer

`share` waits for the dialog of Plasma's portal, and clicks its first choice until it is gone. `pointer` moves the
pointer to the place in each line of its input, and answers with a line: the pointer is shown as long as there is a
device. Both use the portal's remote desktop; the permission store lets this program control the desktop without a
dialog of its own."""
import os
import sys
import tempfile
import time

from gi.repository import Gio, GLib

V = GLib.Variant
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
loop = GLib.MainLoop()
PORTAL, PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
REMOTE = "org.freedesktop.portal.RemoteDesktop"
FIND = """
const dialog = workspace.windowList().find(window => /portal/.test(window.resourceClass));
if (dialog) workspace.activeWindow = dialog;
const frame = dialog ? dialog.frameGeometry : { x: -1, y: -1, width: 0, height: 0 };
callDBus("%s", "/found", "test.Found", "found", String([frame.x, frame.y, frame.width, frame.height]));
"""
NODE = Gio.DBusNodeInfo.new_for_xml(
    '<node><interface name="test.Found">'
    '<method name="found"><arg type="s" direction="in"/></method></interface></node>')
answers = []


def call(name, path, interface, method, arguments=None):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 20000, None)


def found(connection, sender, path, interface, method, arguments, invocation):
    answers.append([float(word) for word in arguments.unpack()[0].split(",")])
    invocation.return_value(None)
    loop.quit()


def dialog():
    """The position and size of the dialog; None if there is none."""
    with tempfile.NamedTemporaryFile("w", suffix=".js", dir=os.environ["HOME"]) as script:
        script.write(FIND % bus.get_unique_name())
        script.flush()
        name = f"find{time.monotonic_ns()}"
        number = call(
            "org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting", "loadScript",
            V("(ss)", (script.name, name))).unpack()[0]
        answers.clear()
        call("org.kde.KWin", f"/Scripting/Script{number}", "org.kde.kwin.Script", "run")
        GLib.timeout_add(3000, loop.quit)
        if not answers:
            loop.run()
        call("org.kde.KWin", "/Scripting", "org.kde.kwin.Scripting", "unloadScript", V("(s)", (name,)))
    return answers[0] if answers and answers[0][2] > 0 else None


def request(method, make, count=[0]):
    """Calls a method of the remote desktop portal and returns its result."""
    count[0] += 1
    token, results = f"input{count[0]}", []
    path = f"{PATH}/request/{bus.get_unique_name()[1:].replace('.', '_')}/{token}"

    def responded(connection, sender, path, interface, signal, arguments):
        results.append(arguments.unpack())
        loop.quit()

    subscription = bus.signal_subscribe(PORTAL, "org.freedesktop.portal.Request", "Response", path, None, 0, responded)
    call(PORTAL, PATH, REMOTE, method, make({"handle_token": V("s", token)}))
    GLib.timeout_add(8000, loop.quit)
    if not results:
        loop.run()
    bus.signal_unsubscribe(subscription)
    if not results or results[0][0]:
        sys.exit(f"{method}: {results}")
    return results[0][1]


bus.register_object("/found", NODE.interfaces[0], found, None, None)
store = "org.freedesktop.impl.portal.PermissionStore"
call(store, "/org/freedesktop/impl/portal/PermissionStore", store, "SetPermission",
     V("(sbssas)", ("kde-authorized", True, "remote-desktop", "", ["yes"])))
created = request(
    "CreateSession", lambda options: V("(a{sv})", ({**options, "session_handle_token": V("s", "input")},)))
session = created["session_handle"]
request("SelectDevices", lambda options: V("(oa{sv})", (session, {**options, "types": V("u", 3)})))
request("Start", lambda options: V("(osa{sv})", (session, "", options)))


def notify(method, types, *arguments):
    call(PORTAL, PATH, REMOTE, method, V(f"(oa{{sv}}{types})", (session, {}) + arguments))


def move(x, y):
    notify("NotifyPointerMotion", "dd", -5000.0, -5000.0)
    notify("NotifyPointerMotion", "dd", x, y)


def click(x, y):
    move(x, y)
    time.sleep(0.1)
    for state in (1, 0):
        notify("NotifyPointerButton", "iu", 272, state)
        time.sleep(0.05)


if sys.argv[1] == "pointer":
    for line in sys.stdin:
        move(*map(float, line.split()))
        print("moved", flush=True)
    sys.exit(0)
seen, deadline = False, time.monotonic() + 40
while time.monotonic() < deadline:
    frame = dialog()
    if frame:
        time.sleep(1 if not seen else 0.3)
        seen = True
        # The picture of the monitor, which is the only one.
        click(frame[0] + 370, frame[1] + 260)
        time.sleep(0.5)
    elif seen:
        sys.exit(0)
    else:
        time.sleep(0.3)
sys.exit("no dialog, or it stayed")
