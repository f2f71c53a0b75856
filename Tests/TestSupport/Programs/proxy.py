"""A proxy for TCP connections on 127.0.0.1: SOCKS 5 (RFC 1928, RFC 1929), and CONNECT of HTTP (RFC 9110, 9.3.6).

usage: proxy.py PORT [refuse|silent|USER:PASSWORD]. Prints "socks HOST PORT" or "connect HOST PORT" for each request.
Names that end in .test, and the addresses 192.0.2.*, lead to 127.0.0.1. With "refuse" it rejects each request, with
"silent" it answers nothing. With a user and a password it requires them.
"""

import base64
import socket
import socketserver
import struct
import sys
import threading

mode = sys.argv[2] if len(sys.argv) > 2 else ""


def exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise OSError("it has left")
        data += part
    return data


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Proxy(socketserver.BaseRequestHandler):
    def handle(self):
        try:
            self.serve()
        except OSError:
            pass

    def serve(self):
        first = exactly(self.request, 1)
        if mode == "silent":
            while self.request.recv(4096):
                pass
            return
        host, port = self.socks() if first == b"\x05" else self.connect(first)
        if host is None:
            return
        server = socket.create_connection((
            "127.0.0.1" if host.endswith(".test") or host.startswith("192.0.2.") else host, port))
        if first == b"\x05":
            self.request.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        else:
            self.request.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        other = threading.Thread(target=copy, args=(server, self.request), daemon=True)
        other.start()
        copy(self.request, server)
        other.join()

    def socks(self):
        methods = exactly(self.request, exactly(self.request, 1)[0])
        if ":" in mode:
            if 2 not in methods:
                self.request.sendall(b"\x05\xff")
                return None, None
            self.request.sendall(b"\x05\x02")
            exactly(self.request, 1)
            user, password = (exactly(self.request, exactly(self.request, 1)[0]).decode() for _ in range(2))
            if f"{user}:{password}" != mode:
                self.request.sendall(b"\x01\x01")
                return None, None
            self.request.sendall(b"\x01\x00")
        else:
            self.request.sendall(b"\x05\x00")
        _, command, _, kind = exactly(self.request, 4)
        if kind == 3:
            host = exactly(self.request, exactly(self.request, 1)[0]).decode()
        elif kind == 1:
            host = socket.inet_ntop(socket.AF_INET, exactly(self.request, 4))
        else:
            host = socket.inet_ntop(socket.AF_INET6, exactly(self.request, 16))
        (port,) = struct.unpack(">H", exactly(self.request, 2))
        print("socks", host, port, flush=True)
        if mode == "refuse" or command != 1:
            self.request.sendall(b"\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00")
            return None, None
        return host, port

    def connect(self, first):
        head = first
        while b"\r\n\r\n" not in head:
            head += exactly(self.request, 1)
        lines = head.decode().split("\r\n")
        method, target, _ = lines[0].split(" ")
        basic = "proxy-authorization: basic " + base64.b64encode(mode.encode()).decode()
        if ":" in mode and not any(line.lower() == basic.lower() for line in lines):
            self.request.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return None, None
        host, _, port = target.rpartition(":")
        print("connect", host, port, flush=True)
        if mode == "refuse" or method != "CONNECT":
            self.request.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return None, None
        return host.strip("[]"), int(port)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[1])), Proxy).serve_forever()
