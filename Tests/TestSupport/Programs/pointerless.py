"""Passes X clients on to an X server, which answers requests for the pointer's image with the error BadCursor.

usage: pointerless.py SERVER. SERVER is the socket of the X server. Prints the number of the display that clients open,
and a line for each such request. The display is an abstract socket, of which nothing remains.

A server answers so as long as it has not shown a pointer (XFixes protocol, version 2, 7). The servers of the tests show
one from the start. So GetCursorImage is replaced by GetCursorName of a cursor that does not exist: the server itself
answers with BadCursor.
"""

import socket
import struct
import sys
import threading

server = sys.argv[1]
# libXfixes uses the second one with servers of version 2.
GET_CURSOR_IMAGE = {4, 25}
GET_CURSOR_NAME = 24


def connect():
    end = socket.socket(socket.AF_UNIX)
    end.connect(server)
    return end


def receive(end, count):
    data = b""
    while len(data) < count:
        part = end.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def padded(length):
    return (length + 3) & ~3


def fixes_opcode():
    """The major opcode of XFIXES, from QueryExtension (X11, 9)."""
    with connect() as end:
        end.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        status, length = struct.unpack("<B5xH", receive(end, 8))
        receive(end, 4 * length)
        assert status == 1
        end.sendall(struct.pack("<BxHHxx", 98, 2 + padded(6) // 4, 6) + b"XFIXES\0\0")
        return receive(end, 32)[9]


def requests(client, target, opcode):
    setup = receive(client, 12)
    name, data = struct.unpack("<HH", setup[6:10])
    target.sendall(setup + receive(client, padded(name) + padded(data)))
    while True:
        head = receive(client, 4)
        major, minor, length = struct.unpack("<BBH", head)
        if length == 0:
            # BIG-REQUESTS: the length follows.
            more = receive(client, 4)
            body = more + receive(client, 4 * struct.unpack("<I", more)[0] - 8)
        else:
            body = receive(client, 4 * length - 4)
        if major == opcode and minor in GET_CURSOR_IMAGE:
            head, body = struct.pack("<BBH", opcode, GET_CURSOR_NAME, 2), struct.pack("<I", 0x1FFFFFFF)
            print("BadCursor", flush=True)
        target.sendall(head + body)


def replies(target, client):
    while data := target.recv(65536):
        client.sendall(data)


def pass_on(action, *arguments):
    try:
        action(*arguments)
    except (EOFError, OSError):
        pass
    for end in arguments[:2]:
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


opcode = fixes_opcode()
listener = socket.socket(socket.AF_UNIX)
for number in range(1000, 2000):
    try:
        listener.bind(f"\0/tmp/.X11-unix/X{number}")
        break
    except OSError:
        continue
listener.listen()
print(number, flush=True)
while True:
    client, _ = listener.accept()
    target = connect()
    threading.Thread(target=pass_on, args=(requests, client, target, opcode), daemon=True).start()
    threading.Thread(target=pass_on, args=(replies, target, client), daemon=True).start()
