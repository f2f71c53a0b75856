#!/usr/bin/python3
"""Stands in for xdg-desktop-portal: the interface org.freedesktop.portal.ScreenCast of any version.

Settings are arguments KEY=VALUE, and lines KEY=VALUE on standard input; it answers each line with `ok`.

version=N      of the interface, 1 to 6
types=N        AvailableSourceTypes (3); none=yes hides the interface, as without a backend
cursors=N      AvailableCursorModes (7)
handle=old     the paths of requests are the portal's own, as before version 0.9
early=yes      the result of a request is sent before its reply
node=ID        the node that is shared; serial=N its object serial
mapping=NAME   mapping_id of the stream (none)
type=N         source_type of the stream (that which was asked for; 0: none)
answer=        ok, cancel, other (response 2), hang, or delay:SECONDS
tokens=        yes (each start makes a new one), same (the old one again), no (the user does not allow it)
known=TOKEN    a token that restores; with any other the user is asked (which takes `dialog` seconds), or with
               dialog=hang forever. A token that is no UUID is an error, as in the real portal.
registry=yes   has org.freedesktop.host.portal.Registry, as from version 1.21 of the real portal on
do=close       the desktop ends every session; do=exit ends this program; do=forge: another program cancels the last
               request and ends every session with signals that only look like the portal's
It prints what is asked of it, a line each.

Like the real portal, it looks at the process of each connection at the first method that it calls, and rejects a
process into which it may not look. It keeps what it found as long as the connection exists."""
import os
import re
import socket
import sys
import uuid

from gi.repository import Gio, GLib

ROOT = "/org/freedesktop/portal/desktop"
settings = {"version": "4", "types": "3", "cursors": "7", "handle": "new", "early": "no", "node": "0", "serial": "0",
            "mapping": "", "type": "", "answer": "ok",
            "tokens": "yes", "known": "", "none": "no", "registry": "no", "dialog": "0"}
settings.update(word.split("=", 1) for word in sys.argv[1:])
XML = """<node><interface name="org.freedesktop.portal.ScreenCast">
<method name="CreateSession"><arg type="a{sv}" direction="in"/><arg type="o" direction="out"/></method>
<method name="SelectSources"><arg type="o" direction="in"/><arg type="a{sv}" direction="in"/>
  <arg type="o" direction="out"/></method>
<method name="Start"><arg type="o" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
  <arg type="o" direction="out"/></method>
<method name="OpenPipeWireRemote"><arg type="o" direction="in"/><arg type="a{sv}" direction="in"/>
  <arg type="h" direction="out"/></method>
<property name="AvailableSourceTypes" type="u" access="read"/>
<property name="AvailableCursorModes" type="u" access="read"/><property name="version" type="u" access="read"/>
</interface>
<interface name="org.freedesktop.host.portal.Registry"><method name="Register"><arg type="s" direction="in"/>
<arg type="a{sv}" direction="in"/></method></interface>
<interface name="org.freedesktop.portal.Session"><method name="Close"/><signal name="Closed"/></interface>
<interface name="org.freedesktop.portal.Request"><method name="Close"/><signal name="Response"><arg type="u"/>
  <arg type="a{sv}"/></signal></interface>
</node>"""
NODE = Gio.DBusNodeInfo.new_for_xml(XML)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
sessions = {}  # path: its options
callers = {}  # unique name: None, or why its calls are rejected
count = 0
last_request = ("", "")
known = set()


def say(*words):
    print(*words, flush=True)


def rejection(sender):
    """None, or why the calls of a connection are rejected (xdg-desktop-portal, xdp-app-info.c)."""
    if sender not in callers:
        pid = bus.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                            GLib.Variant("(s)", (sender,)),
                            None, 0, -1, None).unpack()[0]
        try:
            os.close(os.open(f"/proc/{pid}/root", os.O_RDONLY | os.O_NONBLOCK | os.O_DIRECTORY))
            callers[sender] = None
        except OSError:
            callers[sender] = f"Portal operation not allowed: Unable to open /proc/{pid}/root"
    return callers[sender]


def register(connection, sender, path, interface, method, arguments, invocation):
    say("Register", arguments.unpack()[0], "first" if sender not in callers else "late")
    if rejection(sender):
        return invocation.return_dbus_error("org.freedesktop.portal.Error.NotAllowed", rejection(sender))
    invocation.return_value(None)


def respond(sender, path, code, results):
    bus.emit_signal(
        sender, path, "org.freedesktop.portal.Request", "Response", GLib.Variant("(ua{sv})", (code, results)))
    return False


def request(path):
    """Exports a request, which the client can take back."""
    state = {"open": True}

    def call(connection, sender, path, interface, method, arguments, invocation):
        say("Request.Close")
        state["open"] = False
        invocation.return_value(None)

    bus.register_object(path, NODE.lookup_interface("org.freedesktop.portal.Request"), call, None, None)
    return state


def open_session(path):
    def call(connection, sender, path, interface, method, arguments, invocation):
        say("Session.Close")
        sessions.pop(path, None)
        invocation.return_value(None)

    sessions[path] = {}
    bus.register_object(path, NODE.lookup_interface("org.freedesktop.portal.Session"), call, None, None)


def started(session):
    """The results of Start: the stream, and a token."""
    options = sessions[session]
    version = int(settings["version"])
    properties = {"size": GLib.Variant("(ii)", (1920, 1080)), "position": GLib.Variant("(ii)", (0, 0))}
    kind = int(settings["type"] or options["types"])
    if version >= 3 and kind:
        properties["source_type"] = GLib.Variant("u", kind)
    if version >= 6:
        properties["pipewire-serial"] = GLib.Variant("t", int(settings["serial"]))
    if settings["mapping"]:
        properties["mapping_id"] = GLib.Variant("s", settings["mapping"])
    # From version 6 on, only the serial counts.
    node = int(settings["node"]) if version < 6 else 4294967294
    results = {"streams": GLib.Variant("a(ua{sv})", [(node, properties)])}
    if version >= 4 and options.get("persist_mode") == 2 and settings["tokens"] != "no":
        old = options.get("restore_token")
        token = old if settings["tokens"] == "same" and old in known else str(uuid.uuid4())
        if settings["tokens"] == "yes":
            known.discard(old)
        known.add(token)
        say("token", token)
        results["restore_token"] = GLib.Variant("s", token)
    return results


def call(connection, sender, path, interface, method, arguments, invocation):
    global count, last_request
    a = arguments.unpack()
    if rejection(sender):
        return invocation.return_dbus_error("org.freedesktop.portal.Error.NotAllowed", rejection(sender))
    say(method, *(sorted(a[-1].items()) if isinstance(a[-1], dict) else a))
    if method == "OpenPipeWireRemote":
        remote = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        remote.connect(os.environ["XDG_RUNTIME_DIR"] + "/pipewire-0")
        descriptors = Gio.UnixFDList.new()
        descriptors.append(remote.fileno())
        remote.close()
        return invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (0,)), descriptors)
    options = a[-1]
    version = int(settings["version"])
    owner = sender[1:].replace(".", "_")
    count += 1
    is_old = settings["handle"] == "old"
    handle = f"{ROOT}/request/{count}" if is_old else f"{ROOT}/request/{owner}/{options['handle_token']}"
    results, code, delay = {}, 0, 0.0
    if method == "CreateSession":
        session = f"{ROOT}/session/{owner}/{options['session_handle_token']}"
        open_session(session)
        results["session_handle"] = GLib.Variant("s", session)
    elif method == "SelectSources":
        for key, since in (("cursor_mode", 2), ("persist_mode", 4), ("restore_token", 4)):
            if key in options and version < since:
                say("MISUSE", key, version)
        token = options.get("restore_token")
        if token is not None and not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", token):
            return invocation.return_dbus_error(
                "org.freedesktop.portal.Error.InvalidArgument", "restore_token is not a valid UUID string")
        sessions[a[0]] = options
    else:
        restored = sessions[a[0]].get("restore_token") in known | {settings["known"]}
        say("restored" if restored else "dialog")
        if settings["answer"] == "hang" or (not restored and settings["dialog"] == "hang"):
            code = -1
        elif settings["answer"].startswith("delay:"):
            delay = float(settings["answer"][6:])
        elif not restored:
            delay = float(settings["dialog"])
        if settings["answer"] == "cancel":
            code = 1
        elif settings["answer"] == "other":
            code = 2
        if code == 0:
            results = started(a[0])
    state = request(handle)
    last_request = (sender, handle)
    if settings["early"] == "yes" and code >= 0:
        respond(sender, handle, code, results)
        return invocation.return_value(GLib.Variant("(o)", (handle,)))
    invocation.return_value(GLib.Variant("(o)", (handle,)))
    if code >= 0:
        GLib.timeout_add(int(delay * 1000), lambda: respond(sender, handle, code, results) if state["open"] else False)


def get(connection, sender, path, interface, name):
    return GLib.Variant(
        "u", int(settings[{"version": "version", "AvailableSourceTypes": "types",
                           "AvailableCursorModes": "cursors"}[name]]))


def told(channel, condition):
    line = sys.stdin.readline()
    if not line:
        loop.quit()
        return False
    key, value = line.strip().split("=", 1)
    if key == "do" and value == "exit":
        loop.quit()
    elif key == "do" and value == "forge":
        other = Gio.DBusConnection.new_for_address_sync(
            os.environ["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        other.emit_signal(
            *last_request, "org.freedesktop.portal.Request", "Response", GLib.Variant("(ua{sv})", (1, {})))
        for path in sessions:
            other.emit_signal(last_request[0], path, "org.freedesktop.portal.Session", "Closed", None)
        other.flush_sync()
        other.close_sync()
    elif key == "do":
        for path in list(sessions):
            bus.emit_signal(None, path, "org.freedesktop.portal.Session", "Closed", None)
        sessions.clear()
    else:
        settings[key] = value
    say("ok")
    return True


if settings["registry"] == "yes":
    bus.register_object(ROOT, NODE.lookup_interface("org.freedesktop.host.portal.Registry"), register, None, None)
if settings["none"] != "yes":
    bus.register_object(ROOT, NODE.lookup_interface("org.freedesktop.portal.ScreenCast"), call, get, None)
loop = GLib.MainLoop()
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, told)
Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0, lambda *_: say("ready"), None)
loop.run()
