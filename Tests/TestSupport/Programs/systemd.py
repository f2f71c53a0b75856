#!/usr/bin/python3
"""usage: systemd.py STATE

Stands in for systemd's user manager on a session bus: one unit, graphical-session.target, whose ActiveState is
STATE. Lines NAME=VALUE on standard input become its environment."""
import sys

from gi.repository import Gio, GLib

XML = """<node><interface name="org.freedesktop.systemd1.Manager">
<property name="Environment" type="as" access="read"/>
<method name="GetUnit"><arg type="s" direction="in"/><arg type="o" direction="out"/></method></interface>
<interface name="org.freedesktop.systemd1.Unit"><property name="ActiveState" type="s" access="read"/></interface>
</node>"""
UNIT = "/org/freedesktop/systemd1/unit/target"
node = Gio.DBusNodeInfo.new_for_xml(XML)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def called(connection, sender, path, interface, method, arguments, invocation):
    if arguments[0] == "graphical-session.target":
        return invocation.return_value(GLib.Variant("(o)", (UNIT,)))
    invocation.return_dbus_error("org.freedesktop.systemd1.NoSuchUnit", "it is not loaded")


environment = []


def told(channel, condition):
    line = sys.stdin.readline().strip()
    environment.append(line)
    return bool(line)


GLib.io_add_watch(sys.stdin, GLib.IOCondition.IN, told)
bus.register_object(
    "/org/freedesktop/systemd1", node.interfaces[0], called, lambda *_: GLib.Variant("as", environment), None)
bus.register_object(UNIT, node.interfaces[1], None, lambda *_: GLib.Variant("s", sys.argv[1]), None)
Gio.bus_own_name_on_connection(
    bus, "org.freedesktop.systemd1", Gio.BusNameOwnerFlags.NONE, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
