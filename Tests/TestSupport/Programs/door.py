"""Passes TCP connections from one port of 127.0.0.1 on to another, and ends them the ways that servers end.

usage: door.py PORT TARGET. Commands on standard input, a line each: "fin" closes the port and ends the connections with
a FIN, "rst" closes the port and resets the connections, "503" ends the connections with a FIN and answers new ones like
a load balancer whose server is away, "open" opens the port again. Each is printed once it is done.
"""

import os
import selectors
import socket
import struct
import sys

port, target = int(sys.argv[1]), int(sys.argv[2])
selector = selectors.DefaultSelector()
# What a socket's bytes go to; None where they are read and forgotten.
ways = {}
publishers = set()
listener = None
answers_503 = False


def open_door():
    global listener
    listener = socket.create_server(("127.0.0.1", port))
    selector.register(listener, selectors.EVENT_READ)


def close_door():
    global listener
    if listener:
        selector.unregister(listener)
        listener.close()
    listener = None


def forget(end):
    if end in ways:
        selector.unregister(end)
        del ways[end]
        publishers.discard(end)
        end.close()


def accept():
    publisher, _ = listener.accept()
    if answers_503:
        publisher.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        publisher.shutdown(socket.SHUT_WR)
        ways[publisher] = None
        publishers.add(publisher)
        selector.register(publisher, selectors.EVENT_READ)
        return
    server = socket.create_connection(("127.0.0.1", target))
    ways[publisher], ways[server] = server, publisher
    publishers.add(publisher)
    for end in (publisher, server):
        selector.register(end, selectors.EVENT_READ)


def finish():
    """A FIN and nothing else: what still comes is read, or the kernel would reset the connection."""
    for publisher in list(publishers):
        publisher.shutdown(socket.SHUT_WR)
        forget(ways[publisher])
        ways[publisher] = None


def reset():
    for publisher in list(publishers):
        forget(ways[publisher])
        publisher.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        forget(publisher)


def pass_on(end):
    other = ways[end]
    try:
        data = end.recv(65536)
    except OSError:
        data = b""
    try:
        if data:
            if other:
                other.sendall(data)
            return
    except OSError:
        pass
    forget(end)
    if other:
        forget(other)


open_door()
selector.register(0, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for key, _ in selector.select():
        if key.fileobj == 0:
            commands = os.read(0, 4096).decode().split()
            if not commands:
                sys.exit()
            for command in commands:
                if command == "503":
                    finish()
                    answers_503 = True
                elif command == "open":
                    answers_503 = False
                    if not listener:
                        open_door()
                else:
                    close_door()
                    finish() if command == "fin" else reset()
                print(command, flush=True)
        elif key.fileobj is listener:
            accept()
        elif key.fileobj in ways:
            pass_on(key.fileobj)
