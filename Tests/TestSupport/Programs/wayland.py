#!/usr/bin/python3
"""usage: wayland.py SOCKET OUTPUT...

Stands in for a Wayland compositor that has outputs and nothing else: the interfaces wl_display, wl_registry,
wl_callback and wl_output, version 4 (Wayland Protocol Specification). Lines on standard input: `add NAME`, `remove
NAME`, and `turn NAME`, which changes the direction of an output by a quarter; it answers `ok`.
Prints `bound NAME` when a client knows the name of an output."""
import selectors
import socket
import struct
import sys

clients = {}  # socket: the identifier of its registry, or None
outputs = {}  # name: its global identifier
proxies = []  # (client, identifier of its wl_output, name)
count = 0
selector = selectors.DefaultSelector()


def say(*words):
    print(*words, flush=True)


def message(object, opcode, *arguments):
    body = b""
    for argument in arguments:
        if isinstance(argument, str):
            text = argument.encode() + b"\0"
            body += struct.pack("=I", len(text)) + text + b"\0" * (-len(text) % 4)
        else:
            body += struct.pack("=I", argument & 0xFFFFFFFF)
    return struct.pack("=II", object, (8 + len(body)) << 16 | opcode) + body


def add(name):
    global count
    count += 1
    outputs[name] = count
    for client, registry in clients.items():
        if registry:
            client.sendall(message(registry, 0, count, "wl_output", 4))


def remove(name):
    number = outputs.pop(name)
    for client, registry in clients.items():
        if registry:
            client.sendall(message(registry, 1, number))


def turn(name):
    for client, proxy, known in proxies:
        if known == name and client in clients:
            client.sendall(message(proxy, 0, 0, 0, 300, 200, 0, "maker", "model", 1) + message(proxy, 2))


def serve(client):
    data = client.recv(65536)
    if not data:
        selector.unregister(client)
        clients.pop(client)
        return
    while data:
        object, word = struct.unpack_from("=II", data)
        body, data = data[8:word >> 16], data[word >> 16:]
        if object == 1 and word & 0xFFFF == 1:
            clients[client], = struct.unpack("=I", body)
            for name, number in outputs.items():
                client.sendall(message(clients[client], 0, number, "wl_output", 4))
        elif object == 1:
            client.sendall(message(struct.unpack("=I", body)[0], 0, 0))
        elif object == clients[client]:
            number, proxy = struct.unpack_from("=I", body)[0], struct.unpack("=I", body[-4:])[0]
            name = next((name for name, known in outputs.items() if known == number), None)
            if name:
                client.sendall(message(proxy, 0, 0, 0, 300, 200, 0, "maker", "model", 0)
                               + message(proxy, 1, 1, 1920, 1080, 60000)
                               + message(proxy, 3, 1) + message(proxy, 4, name) + message(proxy, 5, name)
                               + message(proxy, 2))
                proxies.append((client, proxy, name))
                say("bound", name)


def told(stream):
    line = stream.readline()
    if not line:
        sys.exit()
    {"add": add, "remove": remove, "turn": turn}[line.split()[0]](line.split()[1])
    say("ok")


for word in sys.argv[2:]:
    add(word)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
selector.register(listener, selectors.EVENT_READ)
selector.register(sys.stdin, selectors.EVENT_READ)
say("ready")
while True:
    for key, _ in selector.select():
        if key.fileobj is listener:
            client, _ = listener.accept()
            clients[client] = None
            selector.register(client, selectors.EVENT_READ)
        elif key.fileobj is sys.stdin:
            told(sys.stdin)
        else:
            serve(key.fileobj)
