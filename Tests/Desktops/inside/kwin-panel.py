#!/usr/bin/python3
"""usage: kwin-panel.py watch | stop

`watch` is the part of Plasma's panel with which programs register their status icons (org.kde.StatusNotifierWatcher).
`stop` opens the menu of the portal's icon for a shared screen, and chooses its action End, with the calls that the
panel makes."""
import sys
import time

from gi.repository import Gio, GLib

V = GLib.Variant
NAME, PATH = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
ITEM, MENU = "org.kde.StatusNotifierItem", "com.canonical.dbusmenu"
NODE = Gio.DBusNodeInfo.new_for_xml(f"""
<node><interface name="{NAME}">
    <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
    <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
    <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
    <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
    <property name="ProtocolVersion" type="i" access="read"/>
    <signal name="StatusNotifierItemRegistered"><arg type="s"/></signal>
    <signal name="StatusNotifierItemUnregistered"><arg type="s"/></signal>
    <signal name="StatusNotifierHostRegistered"/>
</interface></node>""")
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
items = []


def called(connection, sender, path, interface, method, arguments, invocation):
    if method == "RegisterStatusNotifierItem":
        service = arguments.unpack()[0]
        item = sender + service if service.startswith("/") else service + "/StatusNotifierItem"
        items.append(item)
        bus.emit_signal(None, PATH, NAME, "StatusNotifierItemRegistered", V("(s)", (item,)))
        Gio.bus_watch_name_on_connection(
            bus, item.split("/")[0], 0, None, lambda *_: item in items and items.remove(item))
    invocation.return_value(None)


def read(connection, sender, path, interface, name):
    return {
        "RegisteredStatusNotifierItems": V("as", items), "IsStatusNotifierHostRegistered": V("b", True),
        "ProtocolVersion": V("i", 0)}[name]


def watch():
    bus.register_object(PATH, NODE.interfaces[0], called, read, None)
    Gio.bus_own_name_on_connection(bus, NAME, 0, None, lambda *_: sys.exit("another panel is there"))
    GLib.MainLoop().run()


def call(name, path, interface, method, arguments=None):
    return bus.call_sync(name, path, interface, method, arguments, None, 0, 5000, None).unpack()


def value(name, path, interface, key):
    return call(name, path, "org.freedesktop.DBus.Properties", "Get", V("(ss)", (interface, key)))[0]


def stop():
    """Chooses the action, if the icon is there. Returns what is known of the icons."""
    found = []
    for item in value(NAME, PATH, NAME, "RegisteredStatusNotifierItems"):
        name, path = item.split("/", 1)
        path = "/" + path
        title, status, menu = (value(name, path, ITEM, key) for key in ("Title", "Status", "Menu"))
        found.append((title, status))
        if title != "Screen casting" or status != "Active":
            continue
        call(name, menu, MENU, "AboutToShow", V("(i)", (0,)))
        entries = call(name, menu, MENU, "GetLayout", V("(iias)", (0, -1, [])))[1][2]
        found.append([entry[1].get("label") for entry in entries])
        for number, properties, _ in entries:
            if properties.get("label", "").replace("_", "") == "End":
                call(name, menu, MENU, "Event", V("(isvu)", (number, "clicked", V("s", ""), 0)))
                return None
    return found


if sys.argv[1] == "watch":
    watch()
deadline = time.monotonic() + 20
while (known := stop()) is not None:
    if time.monotonic() > deadline:
        sys.exit(f"no icon of a shared screen with the action End: {known}")
    time.sleep(0.2)
