#!/usr/bin/python3
"""A backend for the real xdg-desktop-portal that answers by itself, with the screen casts of mutter
(org.gnome.Mutter.ScreenCast).

Lines on standard input, each answered with `ok`, or with what went wrong:

source monitor, source window   what the user picks
close                           the user ends every sharing
pointer X Y                     moves the pointer
configure TURN                  turns the first monitor, as in wl_output: 0 to 3 times 90 degrees
It prints what is asked of it, a line each."""
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.impl.portal.desktop.test"
CAST, REMOTE = "org.gnome.Mutter.ScreenCast", "org.gnome.Mutter.RemoteDesktop"
DISPLAY = "org.gnome.Mutter.DisplayConfig"
ANSWER = '<arg type="u" direction="out"/><arg type="a{sv}" direction="out"/>'
XML = f"""<node><interface name="org.freedesktop.impl.portal.ScreenCast">
<method name="CreateSession"><arg type="o" direction="in"/><arg type="o" direction="in"/><arg type="s" direction="in"/>
<arg type="a{{sv}}" direction="in"/>{ANSWER}</method>
<method name="SelectSources"><arg type="o" direction="in"/><arg type="o" direction="in"/><arg type="s" direction="in"/>
<arg type="a{{sv}}" direction="in"/>{ANSWER}</method>
<method name="Start"><arg type="o" direction="in"/><arg type="o" direction="in"/><arg type="s" direction="in"/>
<arg type="s" direction="in"/><arg type="a{{sv}}" direction="in"/>{ANSWER}</method>
<property name="AvailableSourceTypes" type="u" access="read"/>
  <property name="AvailableCursorModes" type="u" access="read"/>
<property name="version" type="u" access="read"/></interface>
<interface name="org.freedesktop.impl.portal.Session"><method name="Close"/><signal name="Closed"/>
  <property name="version" type="u" access="read"/>
</interface></node>"""
NODE = Gio.DBusNodeInfo.new_for_xml(XML)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
sessions = {}  # path: {"options", "cast", "registration"}
source = "monitor"
pointer = None


def say(*words):
    print(*words, flush=True)


def ask(name, path, interface, method, arguments=None):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 8000, None).unpack()


def end(path):
    session = sessions.pop(path, None)
    if not session:
        return
    if session["cast"]:
        try:
            ask(CAST, session["cast"], CAST + ".Session", "Stop")
        except GLib.Error:
            pass
    bus.unregister_object(session["registration"])


def closed(path):
    """The sharing was ended by the user or by mutter."""
    if path in sessions:
        say("closed")
        bus.emit_signal(None, path, "org.freedesktop.impl.portal.Session", "Closed", None)
        end(path)


def start(path, invocation):
    session = sessions[path]
    options = session["options"]
    data = options.get("restore_data")
    picked = data[2] if data else source
    say("restored" if data else "dialog", picked)
    cursor = {"cursor-mode": GLib.Variant("u", {1: 0, 2: 1, 4: 2}[options.get("cursor_mode", 1)])}
    cast = session["cast"] = ask(
        CAST, "/org/gnome/Mutter/ScreenCast", CAST, "CreateSession", GLib.Variant("(a{sv})", ({},)))[0]
    bus.signal_subscribe(CAST, CAST + ".Session", "Closed", cast, None, 0, lambda *_: closed(path))
    if picked == "monitor":
        stream = ask(CAST, cast, CAST + ".Session", "RecordMonitor", GLib.Variant("(sa{sv})", ("", cursor)))[0]
    else:
        stream = ask(CAST, cast, CAST + ".Session", "RecordWindow", GLib.Variant("(a{sv})", (cursor,)))[0]

    def added(connection, sender, stream, interface, member, parameters):
        properties = {"source_type": GLib.Variant("u", 1 if picked == "monitor" else 2)}
        results = {"streams": GLib.Variant("a(ua{sv})", [(parameters.unpack()[0], properties)])}
        if options.get("persist_mode", 0):
            results["persist_mode"] = GLib.Variant("u", options["persist_mode"])
            results["restore_data"] = GLib.Variant("(suv)", ("test", 1, GLib.Variant("s", picked)))
        invocation.return_value(GLib.Variant("(ua{sv})", (0, results)))

    bus.signal_subscribe(CAST, CAST + ".Stream", "PipeWireStreamAdded", stream, None, 0, added)
    ask(CAST, cast, CAST + ".Session", "Start")


def call(connection, sender, path, interface, method, arguments, invocation):
    a = arguments.unpack()
    say(method)
    if method == "CreateSession":
        registration = bus.register_object(
            a[1], NODE.lookup_interface("org.freedesktop.impl.portal.Session"),
            lambda c, s, path, i, m, g, inner: (say("Session.Close"), end(path), inner.return_value(None)),
            lambda *_: GLib.Variant("u", 1), None)
        sessions[a[1]] = {"options": {}, "cast": None, "registration": registration}
    elif method == "SelectSources":
        sessions[a[1]]["options"] = a[3]
    else:
        return start(a[1], invocation)
    invocation.return_value(GLib.Variant("(ua{sv})", (0, {})))


def move(x, y):
    global pointer
    if not pointer:
        remote = ask(REMOTE, "/org/gnome/Mutter/RemoteDesktop", REMOTE, "CreateSession")[0]
        identifier = ask(
            REMOTE, remote, "org.freedesktop.DBus.Properties", "Get",
            GLib.Variant("(ss)", (REMOTE + ".Session", "SessionId")))[0]
        options = {"remote-desktop-session-id": GLib.Variant("s", identifier)}
        cast = ask(CAST, "/org/gnome/Mutter/ScreenCast", CAST, "CreateSession", GLib.Variant("(a{sv})", (options,)))[0]
        stream = ask(CAST, cast, CAST + ".Session", "RecordMonitor", GLib.Variant("(sa{sv})", ("", {})))[0]
        ask(REMOTE, remote, REMOTE + ".Session", "Start")
        pointer = (remote, stream)
    ask(
        REMOTE, pointer[0], REMOTE + ".Session", "NotifyPointerMotionAbsolute",
        GLib.Variant("(sdd)", (pointer[1], x, y)))


def configure(turn):
    serial, monitors, _, _ = ask(DISPLAY, "/org/gnome/Mutter/DisplayConfig", DISPLAY, "GetCurrentState")
    connector, mode = monitors[0][0][0], monitors[0][1][0]
    wanted = [(0, 0, 1.0, turn, True, [(connector, mode[0], {})])]
    ask(
        DISPLAY, "/org/gnome/Mutter/DisplayConfig", DISPLAY, "ApplyMonitorsConfig",
        GLib.Variant("(uua(iiduba(ssa{sv}))a{sv})", (serial, 1, wanted, {})))


def told(channel, condition):
    global source
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    words = line.split()
    try:
        if words[0] == "source":
            source = words[1]
        elif words[0] == "close":
            for path in list(sessions):
                closed(path)
        elif words[0] == "pointer":
            move(float(words[1]), float(words[2]))
        else:
            configure(int(words[1]))
    except GLib.Error as error:
        say("wrong", error)
        return True
    say("ok")
    return True


bus.register_object(
    "/org/freedesktop/portal/desktop", NODE.lookup_interface("org.freedesktop.impl.portal.ScreenCast"), call,
    lambda c, s, p, i, name: GLib.Variant("u", {"version": 4}.get(name, 7)), None)
loop = GLib.MainLoop()
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, told)
Gio.bus_own_name_on_connection(bus, NAME, 0, lambda *_: say("ready"), None)
loop.run()
