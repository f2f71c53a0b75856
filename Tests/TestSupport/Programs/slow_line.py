"""Passes TCP connections from one port of 127.0.0.1 on to another, with a limited rate towards the server.

usage: slow_line.py PORT TARGET KILOBITS. The socket that receives has a small buffer, so that the sender soon notices.
"""

import socket
import sys
import threading
import time

port, target, rate = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) * 125


def pass_back(source, sink):
    while data := source.recv(65536):
        sink.sendall(data)


def pass_on(source, sink):
    due = time.monotonic()
    while data := source.recv(4096):
        # What a busy machine has delayed follows at once.
        due = max(due, time.monotonic() - 1) + len(data) / rate
        time.sleep(max(0, due - time.monotonic()))
        sink.sendall(data)
    sink.shutdown(socket.SHUT_WR)


def serve(publisher):
    server = socket.create_connection(("127.0.0.1", target))
    threading.Thread(target=pass_back, args=(server, publisher), daemon=True).start()
    pass_on(publisher, server)


listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
listener.bind(("127.0.0.1", port))
listener.listen()
print("ready", flush=True)
while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
