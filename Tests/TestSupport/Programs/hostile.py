"""An RTMP server that is none: it takes connections, one after another, and does to each what it is told.

usage: hostile.py PORT BEHAVIOUR
"""

import socket
import struct
import sys
import time

HANDSHAKE = b"\x03" + b"\x11" * 1536 + b"\x22" * 1536
PORT = int(sys.argv[1])


def amf(value):
    if value is None:
        return b"\x05"
    if isinstance(value, str):
        return b"\x02" + struct.pack(">H", len(value)) + value.encode()
    if isinstance(value, dict):
        properties = (struct.pack(">H", len(key)) + key.encode() + amf(item) for key, item in value.items())
        return b"\x03" + b"".join(properties) + b"\x00\x00\x09"
    return b"\x00" + struct.pack(">d", value)


def message(kind, payload):
    return b"\x03\x00\x00\x00" + struct.pack(">I", len(payload))[1:] + bytes([kind]) + b"\x00" * 4 + payload


def command(*values):
    return message(20, b"".join(amf(value) for value in values))


def status(name, transaction, level, code, **more):
    return command(name, transaction, None, {"level": level, "code": code, **more})


# One message, one chunk.
CHUNK_SIZE = message(1, struct.pack(">I", 65536))
CONNECTED = CHUNK_SIZE + status("_result", 1, "status", "NetConnection.Connect.Success")
STREAM = command("_result", 4, None, 1)
REJECTED = "NetConnection.Connect.Rejected"


class Client:
    def __init__(self, connection):
        self.connection = connection
        self.heard = b""

    def say(self, data):
        self.connection.sendall(data)

    def hear(self, word):
        while word not in self.heard:
            data = self.connection.recv(65536)
            if not data:
                raise OSError("it has left")
            self.heard += data
        self.heard = self.heard.partition(word)[2]

    def connect(self, answer):
        self.say(HANDSHAKE)
        self.hear(b"connect")
        self.say(answer)

    def publish(self, answer):
        self.connect(CONNECTED)
        self.hear(b"createStream")
        self.say(STREAM)
        self.hear(b"publish")
        self.say(answer)

    def listen(self):
        """Reads until it leaves."""
        while self.connection.recv(65536):
            pass

    def be_silent(self):
        time.sleep(600)


def silence(client):
    client.be_silent()


def half_a_handshake(client):
    client.say(HANDSHAKE[:700])
    client.be_silent()


def no_s2(client):
    client.say(HANDSHAKE[:1537])
    client.be_silent()


def no_answer_to_connect(client):
    client.say(HANDSHAKE)
    client.be_silent()


def no_answer_to_create_stream(client):
    client.connect(CONNECTED)
    client.be_silent()


def no_answer_to_publish(client):
    client.publish(b"")
    client.be_silent()


def half_a_chunk(client):
    client.say(HANDSHAKE + b"\x03\x00\x00\x00\x00\x01\x00\x14\x00\x00\x00\x00\x02\x00")
    client.be_silent()


def authentication(client):
    client.connect(
        CHUNK_SIZE + status("_error", 1, "error", REJECTED,
                            description="[ AccessManager.Reject ] : [ code=403 need auth; authmod=adobe ] : "))
    client.listen()


def close_command(client):
    client.connect(CHUNK_SIZE + command("close", 0, None))
    client.listen()


def redirect_loop(client):
    target = {"code": 302, "redirect": f"rtmp://127.0.0.1:{PORT}/live"}
    client.connect(CHUNK_SIZE + status("_error", 1, "error", REJECTED, ex=target))
    client.listen()


def huge_claim(client):
    client.say(HANDSHAKE + b"\x03\x00\x00\x00\xff\xff\xff\x14\x00\x00\x00\x00")
    client.listen()


def empty_chunks(client):
    client.say(HANDSHAKE + b"\x05\x00\x00\x00\x00\x00\x00\x16\x00\x00\x00\x00")
    while True:
        client.say(b"\xc5" * 16384)


def stall(client):
    client.publish(status("onStatus", 0, "status", "NetStream.Publish.Start"))
    client.be_silent()


def slow_reader(client):
    """Takes 200 kB/s, and prints the commands that end the stream."""
    client.publish(status("onStatus", 0, "status", "NetStream.Publish.Start"))
    recent = b""
    while data := client.connection.recv(4096):
        recent = recent[-32:] + data
        for word in (b"FCUnpublish", b"deleteStream"):
            if word in recent:
                print(word.decode(), flush=True)
                recent = recent.partition(word)[2]
        time.sleep(len(data) / 200000)


behaviour = globals()[sys.argv[2].replace("-", "_")]
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
# A small window: who reads nothing is noticed soon.
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
server.bind(("127.0.0.1", PORT))
server.listen()
while True:
    connection, _ = server.accept()
    try:
        behaviour(Client(connection))
    except OSError:
        pass
    connection.close()
