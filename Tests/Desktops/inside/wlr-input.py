#!/usr/bin/python3
"""usage: wlr-input.py FIFO WIDTH HEIGHT

A virtual keyboard and a virtual mouse for sway and Hyprland, with a screen of this size. They do what the lines of FIFO
say: `type TEXT` (lower case) types the text and Return instead of what was typed before, `move X Y` moves the pointer,
`click` presses its button. Writes `ok` when the compositor has handled a line. The mouse exists from its first line on:
without a mouse, sway shows no pointer."""
import os
import socket
import struct
import sys
import time

path = sys.argv[1]
width, height = map(int, sys.argv[2:])
wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
wire.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], os.environ["WAYLAND_DISPLAY"]))
stream = wire.makefile("rb")
globals_found = {}
last = 1


def send(object, opcode, *arguments, file=None):
    """Sends a request. Integers go as they are, texts with their length."""
    data = b""
    for argument in arguments:
        if isinstance(argument, str):
            text = argument.encode() + b"\0"
            data += struct.pack("=I", len(text)) + text + bytes(-len(text) % 4)
        else:
            data += struct.pack("=I", argument)
    message = struct.pack("=II", object, 8 + len(data) << 16 | opcode) + data
    socket.send_fds(wire, [message], [file]) if file is not None else wire.sendall(message)


def new():
    global last
    last += 1
    return last


def sync():
    """Waits until the compositor has handled everything."""
    callback = new()
    send(1, 0, callback)
    while True:
        object, word = struct.unpack("=II", stream.read(8))
        data = stream.read((word >> 16) - 8)
        if object == callback:
            return
        if object == 1 and word & 0xffff == 0:
            sys.exit(f"error of the compositor: {data[12:]}")
        if object == registry and word & 0xffff == 0:
            name, length = struct.unpack_from("=II", data)
            globals_found[data[8:8 + length - 1].decode()] = name


def milliseconds():
    return time.monotonic_ns() // 1_000_000 & 0xffffffff


registry = new()
send(1, 1, registry)
sync()


def bind(interface):
    object = new()
    send(registry, 0, globals_found[interface], interface, 1, object)
    return object


KEYS = {letter: 16 + index for index, letter in enumerate("qwertyuiop")}
KEYS.update({letter: 30 + index for index, letter in enumerate("asdfghjkl")})
KEYS.update({letter: 44 + index for index, letter in enumerate("zxcvbnm,.")})
KEYS.update({letter: 2 + index for index, letter in enumerate("1234567890-")})
KEYS.update({" ": 57, "\n": 28})
KEYMAP = b"""xkb_keymap { xkb_keycodes { include "evdev+aliases(qwerty)" }; xkb_types { include "complete" };
xkb_compat { include "complete" }; xkb_symbols { include "pc+us+inet(evdev)" }; };\0"""
CONTROL = 4
seat = bind("wl_seat")
keyboards, pointers = bind("zwp_virtual_keyboard_manager_v1"), bind("zwlr_virtual_pointer_manager_v1")
keyboard = pointer = None
# wmenu ends without a keyboard, and when one is removed. Hyprland's picker needs none.
if os.environ["XDG_CURRENT_DESKTOP"] == "sway":
    keyboard = new()
    send(keyboards, 0, seat, keyboard)
    keymap = os.memfd_create("keymap")
    os.write(keymap, KEYMAP)
    send(keyboard, 0, 1, len(KEYMAP), file=keymap)
sync()


def press(code, modifiers=0):
    send(keyboard, 2, modifiers, 0, 0, 0)
    for is_pressed in (1, 0):
        send(keyboard, 1, milliseconds(), code, is_pressed)
    send(keyboard, 2, 0, 0, 0, 0)
    sync()


def click():
    for is_pressed in (1, 0):
        send(pointer, 2, milliseconds(), 272, is_pressed)
        send(pointer, 4)
        sync()
        time.sleep(0.05)


# Opened for writing too, so that it does not end with a writer.
for line in os.fdopen(os.open(path, os.O_RDWR), "r"):
    command, _, rest = line.rstrip("\n").partition(" ")
    if command == "type":
        press(KEYS["u"], CONTROL)
        for letter in rest + "\n":
            press(KEYS[letter])
    else:
        if not pointer:
            pointer = new()
            send(pointers, 0, 0, pointer)
        if command == "move":
            send(pointer, 1, milliseconds(), *map(int, rest.split()), width, height)
            send(pointer, 4)
        else:
            click()
        sync()
    print("ok", flush=True)
