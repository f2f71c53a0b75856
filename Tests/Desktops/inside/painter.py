#!/usr/bin/python3
"""usage: painter.py RATE LOG [--app-id ID] [--title TITLE] [--size WxH] [--monitor NAME]

Paints the number of its frame RATE times a second: 32 columns over the whole width, white for 1 and black for 0. The
first is white, the second black, then 28 bits of the number in Gray code, then the parity of those bits, then black.
RATE 0 paints one colour and stays still. Fullscreen, on this monitor if one is named, unless it has a size. Writes each
number into LOG when it has been painted."""
import argparse
import time

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("rate", type=float)
parser.add_argument("log")
parser.add_argument("--app-id", default="test.painter")
parser.add_argument("--title", default="painter")
parser.add_argument("--size")
parser.add_argument("--monitor")
parser.add_argument("--colour", default="2040C0")
options = parser.parse_args()
log = open(options.log, "w", buffering=1)
begin = time.monotonic()
painted = -1


def number():
    return int((time.monotonic() - begin) * options.rate)


def paint(area, context, width, height):
    global painted
    red, green, blue = (int(options.colour[i:i + 2], 16) / 255 for i in (0, 2, 4))
    context.set_source_rgb(red, green, blue)
    context.paint()
    if not options.rate:
        log.write("0\n")
        return
    painted = number()
    code = painted ^ painted >> 1
    bits = [1, 0] + [code >> bit & 1 for bit in range(28)]
    bits += [sum(bits[2:]) & 1, 0]
    for column, bit in enumerate(bits):
        left, right = column * width // 32, (column + 1) * width // 32
        context.set_source_rgb(bit, bit, bit)
        context.rectangle(left, 0, right - left, height // 4)
        context.fill()
    log.write(f"{painted}\n")


def activate(application):
    window = Gtk.ApplicationWindow(application=application, title=options.title, decorated=False)
    area = Gtk.DrawingArea()
    area.set_draw_func(paint)
    window.set_child(area)
    if options.size:
        window.set_default_size(*map(int, options.size.split("x")))
    elif options.monitor:
        monitors = Gdk.Display.get_default().get_monitors()
        window.fullscreen_on_monitor(
            next(monitor for monitor in monitors if monitor.get_connector() == options.monitor))
    else:
        window.fullscreen()
    if options.rate:
        window.add_tick_callback(lambda *_: (number() != painted and area.queue_draw()) or GLib.SOURCE_CONTINUE)
    window.present()


application = Gtk.Application(application_id=options.app_id)
application.connect("activate", activate)
application.run([])
