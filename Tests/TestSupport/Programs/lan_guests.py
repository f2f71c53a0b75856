"""Visits the page of the lan extension as guests do that nobody wants, and as many viewers do. Prints one JSON object.

Usage: lan_guests.py unwanted|crowd PORT TOKEN BROADCASTER
BROADCASTER is the process that has started the extension.
"""
import json
import os
import select
import socket
import struct
import sys
import time

MODE, PORT, TOKEN, BROADCASTER = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5]
HOST = f"127.0.0.1:{PORT}"


def connect():
    connection = socket.create_connection(("127.0.0.1", PORT), timeout=30)
    return connection


def receive_all(connection):
    data = b""
    try:
        while piece := connection.recv(65536):
            data += piece
    except ConnectionError:
        pass
    return data


# A viewer who decodes only H.264 of the Baseline profile.
BASELINE = "\r\n".join([
    "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=ice-ufrag:abcd",
    "a=ice-pwd:0123456789012345678901", "a=fingerprint:sha-256 AA:BB", "a=setup:actpass", "a=mid:0", "a=recvonly",
    "a=rtpmap:96 H264/90000", "a=fmtp:96 packetization-mode=1;profile-level-id=42e01f", ""])


def request(path, method="GET", headers=None, body=""):
    """The status of the answer and its head; 0 if the connection is closed without an answer."""
    lines = [f"{method} {path} HTTP/1.1"] + (headers if headers is not None else [f"Host: {HOST}"])
    if body:
        lines.append(f"Content-Length: {len(body)}")
    with connect() as connection:
        try:
            connection.sendall("\r\n".join(lines + ["", body]).encode())
        except ConnectionError:
            return 0, ""
        answer = receive_all(connection).decode("utf-8", "replace")
    return (int(answer.split(" ")[1]) if answer.startswith("HTTP/1.1 ") else 0), answer


def upgrade(origin=f"http://{HOST}", query="", connection=None):
    """A WebSocket; nil if it is refused."""
    connection = connection or connect()
    connection.sendall(
        f"GET /{TOKEN}/ws{query} HTTP/1.1\r\nHost: {HOST}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(1)
        if not piece:
            return None
        head += piece
    return connection if b" 101 " in head.split(b"\r\n")[0] else None


def frame(payload, opcode=1, masked=True):
    head = bytes([0x80 | opcode])
    bit = 0x80 if masked else 0
    if len(payload) < 126:
        head += bytes([bit | len(payload)])
    else:
        head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
    return head + (b"\0\0\0\0" if masked else b"") + payload


def is_closed_after(data, limit=20):
    """Whether a viewer who sends this loses the connection."""
    connection = upgrade()
    end = time.monotonic() + limit
    try:
        connection.sendall(data)
        connection.settimeout(1)
        while time.monotonic() < end:
            try:
                if not connection.recv(65536):
                    return True
            except TimeoutError:
                pass
        return False
    except ConnectionError:
        return True
    finally:
        connection.close()


def lasts(answers, limit=14):
    """Whether the connection of a page lasts that sends nothing, like one in a tab that is hidden for long. Its browser
    answers pings, or is gone."""
    connection = upgrade(query="?media=none")
    end, data = time.monotonic() + limit, b""
    connection.settimeout(1)
    try:
        while time.monotonic() < end:
            try:
                piece = connection.recv(65536)
            except TimeoutError:
                continue
            if not piece:
                return False
            data += piece
            while len(data) > 1 and len(data) >= 2 + data[1] and data[1] < 126:
                opcode, data = data[0] & 0x0f, data[2 + data[1]:]
                if opcode == 9 and answers:
                    connection.sendall(frame(b"", opcode=10))
        return True
    except ConnectionError:
        return False
    finally:
        connection.close()


def takes_little_of_a_gigabyte():
    """Whether a connection is closed soon that never ends its request, and one after an upgrade."""
    for connection in connect(), upgrade():
        sent = 0
        try:
            while sent < 1 << 30:
                sent += connection.send(b"\xa5" * (1 << 20))
        except ConnectionError:
            pass
        connection.close()
        # What the kernel has taken for both ends.
        if sent > 16 << 20:
            return False
    return True


def unwanted():
    page, text = request(f"/{TOKEN}/")
    slow = connect()
    slow.sendall(b"GET /")
    result = {
        "page": page, "policy": "default-src 'none'" in text and "frame-ancestors 'none'" in text,
        "redirect": request(f"/{TOKEN}")[0],
        "nothing": [
            request("/")[0], request("/wrong-secret-of-22-chars/")[0], request(f"/{TOKEN}/x")[0],
            request(f"/{TOKEN}/", headers=["Host: evil.example"])[0], request(f"/{TOKEN}/", headers=[])[0],
            request(f"/{TOKEN}/", method="POST")[0], request(f"/{TOKEN}/ws")[0],
        ],
        "offers": [
            request(f"/{TOKEN}/whep", "POST", [f"Host: {HOST}", "Origin: http://evil.example"], BASELINE)[0],
            request(f"/{TOKEN}/whep", "POST", body="nonsense")[0],
            request(f"/{TOKEN}/whep", "POST", body="v=0\r\n" * 8000)[0],
            request(f"/{TOKEN}/whep", "POST", body=BASELINE)[0],
            request(f"/{TOKEN}/whep/no-session", "DELETE")[0],
        ],
        "body": request(f"/{TOKEN}/x")[1].split("\r\n\r\n")[-1],
        "foreign": upgrade(origin="http://evil.example") is None,
        "long": request(f"/{TOKEN}/", headers=[f"Host: {HOST}", "X: " + "x" * 20000])[0],
        "garbage": is_closed_after(os.urandom(4096)),
        "unmasked": is_closed_after(frame(b'{"ping":1}', masked=False) * 50),
        "large": is_closed_after(frame(b"x" * 1_000_000)),
        "binary": is_closed_after(frame(b"x", opcode=2)),
        "flood": is_closed_after(frame(b'{"ping":1}') * 200),
        "nonsense": is_closed_after(frame(b"nonsense")),
        "hidden": lasts(answers=True),
        "gone": not lasts(answers=False),
        "endless": takes_little_of_a_gigabyte(),
    }
    many = []
    for _ in range(100):
        try:
            many.append(connect())
        except OSError:
            break
    time.sleep(1)
    # A connection that was refused is readable, and at its end.
    readable, _, _ = select.select(many, [], [], 0)
    result["refused"] = len(readable)
    for connection in many:
        connection.close()
    result["slow"] = receive_all(slow) == b""
    for _ in range(100):
        result["again"], _ = request(f"/{TOKEN}/")
        if result["again"] == 200:
            break
        time.sleep(0.1)
    return result


def extension():
    """The process of the extension."""
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                name, _, rest = file.read().partition(") ")
        except OSError:
            continue
        if "(broadcast-lan" in name and rest.split()[1] == BROADCASTER:
            return process
    raise RuntimeError("the extension does not run")


def megabytes(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1000


def crowd():
    """Twenty viewers, of whom one reads nothing and one 200 kbit/s, until each of the others has 1 MB."""
    process = extension()
    viewers = [upgrade() for _ in range(20)]
    received = {viewer: 0 for viewer in viewers}
    stopped, slow = viewers[0], viewers[1]
    good = viewers[2:]
    memory = [megabytes(process)]
    begin = time.monotonic()
    while min(received[viewer] for viewer in good) < 1_000_000 and time.monotonic() < begin + 60:
        may_read = received[slow] < (time.monotonic() - begin) * 25_000
        readable, _, _ = select.select(good + [slow] * may_read, [], [], 0.05)
        for viewer in readable:
            received[viewer] += len(viewer.recv(1000 if viewer is slow else 65536))
    memory.append(megabytes(process))
    counts = [received[viewer] for viewer in good]
    return {"least": min(counts), "most": max(counts), "slow": received[slow], "memory": memory}


print(json.dumps(unwanted() if MODE == "unwanted" else crowd()), flush=True)
